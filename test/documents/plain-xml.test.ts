/** The quick parser gives exactly the tree of the strict one, or leaves the text to it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { packEpub } from '../../bench/pack-epub.ts';
import { openArchive } from '../../src/documents/archive/archive.ts';
import type { MarkupElement } from '../../src/documents/markup/markup.ts';
import { parsePlainXml } from '../../src/documents/markup/plain-xml.ts';
import { htmlEntity, parseStrictly, xmlLimits } from '../../src/documents/markup/xml.ts';
import { makeNovel } from '../translation/novel.ts';
import { hostileXml, xhtml } from './hostile-xml.ts';
import { sampleEpub2, sampleEpub3 } from './sample-books.ts';

function quickly(source: string, limits = xmlLimits as Record<keyof typeof xmlLimits, number>) {
  return parsePlainXml(source, { ...limits, entity: htmlEntity });
}

function strictly(source: string): MarkupElement | undefined {
  try {
    return parseStrictly(source, { htmlEntities: true }, undefined);
  } catch {
    return undefined;
  }
}

/** @returns whether it was read quickly */
function agrees(source: string): boolean {
  const quick = quickly(source);
  if (quick === undefined) return false;
  assert.deepEqual(quick, strictly(source), source);
  return true;
}

const piece = fc.constantFrom(
  ...['<p>', '</p>', '<p/>', '<p />', '<p', '</p >', '<i class="a">', '</i>', '<br/>', '<a b=\'c\' d = "e"/>'],
  ...['<a b="1" b="2"/>', '<a b="x"c="y"/>', '<a b=c/>', '<a b/>', '<a b="<"/>', '<a b=">"/>', '<a\n\tb="x\ty\r\nz"/>'],
  ...['<x:y z:w=""/>', '<ä/>', '<a é="1"/>', '<1/>', '< p>', '</>', '<a __proto__="1" constructor="2"/>'],
  ...[
    'text',
    ' ',
    '\n',
    '\r\n',
    '\r',
    '\t',
    'ü',
    '漢',
    '👩‍👧',
    '\ud83d',
    '\u0001',
    '\ufeff',
    '\ufffe',
    '\u0085',
    '\u2028',
  ],
  ...[
    '&amp;',
    '&lt;',
    '&nbsp;',
    '&hellip;',
    '&notit;',
    '&nothing;',
    '&constructor;',
    '&',
    '&;',
    '&#65;',
    '&#x41;',
    '&#X41;',
  ],
  ...['&#0;', '&#xD800;', '&#x10FFFF;', '&#x110000;', '&#9;', '&#13;', '&# 65;', ']]>', ']]', ']', '>', '"', "'"],
  ...['<!-- c -->', '<!---->', '<!--->', '<!-- -- -->', '<!-- a --->', '<!', '<![CDATA[c <d>]]>', '<!-- <p> & -->'],
  ...['<?pi?>', '<?pi a?b?>', '<?pi a b="c"?>', '<?xml version="1.0"?>', '<?XML a?>', '<?xml-x y?>', '<? pi?>', '<?pi'],
  ...['<!DOCTYPE html>', '<!DOCTYPE a [ <!ENTITY b "c"> ]>', '<!DOCTYPE a "[">', '<!DOCTYPE a PUBLIC \'>\' "x">'],
);
const opening = fc.constantFrom(
  ...['', '<?xml version="1.0" encoding="utf-8"?>', "<?xml version='1.0' standalone='no' ?>", ' <?xml version="1.0"?>'],
  ...[
    '<?xml version="1.1"?>',
    '<?xml encoding="a"?>',
    '<?xml version="1.0" encoding="é"?>',
    '\ufeff',
    '<!DOCTYPE html>\n',
  ],
);

test('any text that the quick parser takes, it reads as the strict one does', () => {
  let quick = 0;
  const source = fc
    .tuple(opening, fc.array(piece, { maxLength: 3 }), fc.array(piece, { maxLength: 12 }), fc.boolean())
    .map(([start, before, inside, isWrapped]) =>
      isWrapped ? `${start}<r>${inside.join('')}</r>` : start + [...before, '<r>', ...inside, '</r>'].join(''),
    );
  fc.assert(
    fc.property(source, (text) => {
      if (agrees(text)) quick++;
    }),
    { numRuns: 6_000 },
  );
  assert.ok(quick > 300, `only ${quick} texts were read quickly`);
});

test('a tree of random pages is read quickly, and as the strict parser reads it', () => {
  const leaf = fc.constantFrom(
    'word ',
    '&amp;',
    '&nbsp;',
    '\r\n',
    '<br/>',
    '<img src="p.png" alt=""/>',
    '<!--c-->',
    '漢字',
  );
  const tag = fc.constantFrom('p', 'i', 'span class="k"', 'h2', 'a href="#z&amp;y"', 'x:y', 'q lang = "en"');
  const { node } = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 6 },
      leaf,
      fc
        .tuple(tag, fc.array(tie('node'), { maxLength: 4 }))
        .map(([name, children]) => `<${name}>${children.join('')}</${name.split(' ')[0]}>`),
    ),
  }));
  fc.assert(
    fc.property(fc.array(node, { maxLength: 8 }), (nodes) => assert.ok(agrees(xhtml(nodes.join(''))))),
    { numRuns: 1_000 },
  );
});

test('every page of whole books is read quickly, and as the strict parser reads it', () => {
  const novel = packEpub(
    makeNovel(60_000).sections.map(({ blocks }) => blocks.map(({ text }) => `<p>${text}</p>`).join('\n')),
  );
  for (const book of [sampleEpub2(), sampleEpub3(), novel]) {
    const archive = openArchive(book);
    for (const { name } of archive.entries) {
      if (!/\.(?:xhtml|opf|ncx|xml)$/.test(name)) continue;
      const text = Buffer.from(archive.read(name) ?? []).toString();
      if (!text.includes('<![CDATA[')) assert.ok(agrees(text), name);
    }
  }
});

test('what is refused for its structure is left to the strict parser', () => {
  for (const { bytes, fileName } of hostileXml)
    if (!/\.(?:epub|docx|odt)$/.test(fileName ?? '')) agrees(Buffer.from(bytes()).toString());
  assert.equal(quickly('<a><b><c/></b></a>', { ...xmlLimits, depth: 2 }), undefined);
  assert.equal(quickly('<a>x<b/>y</a>', { ...xmlLimits, nodes: 3 }), undefined);
  assert.equal(quickly('<a b="long"/>', { ...xmlLimits, attributeCharacters: 3 }), undefined);
});
