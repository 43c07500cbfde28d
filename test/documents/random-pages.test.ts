import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { blocksOf } from '../../src/documents/document.ts';
import { readPage } from '../../src/documents/html/page.ts';
import { parseHtml } from '../../src/documents/html/parse-html.ts';
import { writePage } from '../../src/documents/html/write-page.ts';
import type { MarkupNode } from '../../src/documents/markup/markup.ts';
import { parseXmlText } from '../../src/documents/markup/xml.ts';
import { stripInlineTags, tokenizeInline } from '../../src/inline-tags.ts';
import { readDocument, writeDocument } from './read-and-write.ts';

const leaf = fc.constantFrom(
  ...['wort ', 'Zwei', '&amp;', '&nbsp;', ' ', '\n', '<br/>', '<br/><br/>', '<img src="p.png" alt=""/>', '<!--c-->'],
  ...[
    '<![CDATA[cd <1> e]]>',
    '12',
    '&lt;3/&gt;',
    '<a id="z"/>',
    '* * *',
    '漢字',
    '<hr/>',
    '👩‍👧',
    '<svg><text>s</text></svg>',
  ],
);
const name = fc.constantFrom(
  ...[
    'p',
    'div',
    'i',
    'b',
    'span class="k"',
    'span',
    'h2',
    'table',
    'td',
    'ul',
    'li',
    'em id="e"',
    'blockquote',
    'pre',
  ],
  ...['sup', 'a href="#z"', 'ruby', 'rb', 'rt', 'section', 'q lang="en"', 'abbr', 'unknown', 'del', 'code'],
);
const { node } = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 6 },
    leaf,
    fc.tuple(name, fc.array(tie('node'), { maxLength: 4 })).map(([tag, children]) => {
      return `<${tag}>${children.join('')}</${tag.split(' ')[0]}>`;
    }),
  ),
}));
const body = fc.array(node, { minLength: 1, maxLength: 8 }).map((nodes) => nodes.join(''));

/** Random trees hold forbidden structures and repeated ids; none of that may cost a word or a closing tag. */
test('any XHTML page, translated or bilingual, stays well formed and holds every word exactly once', () => {
  fc.assert(
    fc.property(body, (content) => {
      const source = `<html xmlns="urn:x"><head><title>T</title></head><body>Start ${content}</body></html>`;
      const page = readPage(parseXml(source));
      const translationOf = (index: number) => mark(page.blocks[index]?.text ?? '');
      const options = { sourceLang: 'en', targetLang: 'de', dialect: 'xhtml5', translationOf } as const;
      // A drawing inside a sentence is a block after it, so the order may differ.
      const words = page.blocks.flatMap((block) => markedWords(mark(block.text))).toSorted();
      const translated = writePage(page, { ...options, variant: 'translated' });
      // Drawings with the same words share a block, and stand in both halves of a bilingual page.
      const outside = (list: string[]) => list.filter((word) => word !== 'xsq');
      assert.deepEqual(outside(markedWords(shownText(parseXml(translated.text).root))), outside(words));
      assert.equal(translated.repairs, 0);
      const both = shownText(parseXml(writePage(page, { ...options, variant: 'bilingual' }).text).root);
      assert.deepEqual(outside(markedWords(both)), outside(words));
      for (const token of page.blocks.flatMap((block) => tokenizeInline(block.text)))
        if (token.kind === 'text') assert.ok(letters(both).includes(letters(token.text)), token.text);
    }),
    { numRuns: 400 },
  );
});

test('any HTML, however its tags cross, is read completely and holds every translated word exactly once', () => {
  const soup = fc.array(
    fc.oneof(
      leaf,
      name.map((tag) => `<${tag}>`),
      name.map((tag) => `</${tag.split(' ')[0]}>`),
    ),
    {
      maxLength: 30,
    },
  );
  fc.assert(
    fc.property(soup, (pieces) => {
      const bytes = Buffer.from(`<!DOCTYPE html><html><body>Start ${pieces.join('')}</body></html>`);
      const { document } = readDocument(bytes);
      const translations = new Map(blocksOf(document).map((block) => [block.id, mark(block.text)]));
      const options = { sourceLang: 'en', targetLang: 'de', variant: 'translated' } as const;
      const output = Buffer.from(writeDocument(bytes, {}, translations, options).bytes).toString('utf8');
      const outside = (list: string[]) => list.filter((word) => word !== 'xsq');
      assert.deepEqual(
        outside(markedWords(shownText(parseHtml(output).root))),
        outside([...translations.values()].flatMap(markedWords).toSorted()),
      );
    }),
    { numRuns: 400 },
  );
});

test('the same markup in different parents stays two pieces and the page well formed', () => {
  for (const content of ['<span><i>one</i></span><i>two</i>', '<i>one</i><span><i>two</i></span>']) {
    const page = readPage(
      parseXml(`<html xmlns="urn:x"><head><title>T</title></head><body><p>${content}</p></body></html>`),
    );
    assert.equal(page.blocks[0]?.text, '<1>one</1><2>two</2>');
    const options = { sourceLang: 'en', targetLang: 'de', dialect: 'xhtml5', variant: 'translated' } as const;
    const written = writePage(page, { ...options, translationOf: () => '<1>eins</1><2>zwei</2>' });
    assert.equal(shownText(parseXml(written.text).root), 'Teinszwei');
  }
});

const parseXml = (source: string) => parseXmlText(source, { htmlEntities: true });

/** All that a page shows, ruby annotations aside: read by its tree alone, not by the reader under test. */
function shownText(node: MarkupNode): string {
  if (node.kind === 'text') return node.text;
  return ['rt', 'rp', 'rtc'].includes(node.name) ? '' : node.children.map(shownText).join('');
}

function markedWords(text: string): string[] {
  return (stripInlineTags(text).match(/x\p{L}+?q/gu) ?? []).toSorted();
}

function letters(text: string): string {
  return stripInlineTags(text).replace(/\P{L}+/gu, '');
}

function mark(text: string): string {
  return tokenizeInline(text)
    .map((token) => (token.kind === 'text' ? token.text.replace(/\p{L}+/gu, 'x$&q') : token.raw))
    .join('');
}

test('a paragraph of nothing but text is read as one whose text is in two pieces', () => {
  const piece = fc.constantFrom(
    ...[' ', '  ', '\n', '\t', '\r\n', '\u00a0', '\u3000', '&#160;', '&#x3000;', '\u2028', '\ufeff'],
    ...['wort', 'Zwei', '&amp;', '&lt;', '&lt;3/&gt;', '12', '*', '漢字', '👩‍👧'],
  );
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const read = (content: string) => {
    const { blocks, skipped, textCharacters } = readPage(
      parseXmlText(`<html><body><p>x</p><p>${content}</p></body></html>`),
    );
    const own = blocks.map(({ text, plain, characters, tags }) => ({ text, plain, characters, tags }));
    return { own, skipped: new Map(skipped.list().map((each) => [each.reason, each.characters])), textCharacters };
  };
  fc.assert(
    fc.property(text, text, (one, other) => {
      assert.deepEqual(read(`${one}${other}`), read(`${one}<!--c-->${other}`));
    }),
    { numRuns: 2_000 },
  );
});
