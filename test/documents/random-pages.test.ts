import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { blocksOf } from '../../src/documents/document.ts';
import { readDocument, writeDocument } from '../../src/documents/formats.ts';
import { readPage } from '../../src/documents/html/page.ts';
import { writePage } from '../../src/documents/html/write-page.ts';
import { parseXmlText } from '../../src/documents/xml.ts';
import { stripInlineTags, tokenizeInline } from '../../src/inline-tags.ts';

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
      const page = readPage(parseXmlText(source, { htmlEntities: true }));
      const translationOf = (index: number) => mark(page.blocks[index]?.text ?? '');
      const options = { sourceLang: 'en', targetLang: 'de', dialect: 'xhtml5', translationOf } as const;
      const expected = page.blocks.map((block) => bare(mark(block.text))).join('');
      const translated = writePage(page, { ...options, variant: 'translated' });
      assert.equal(wordsOf(translated.text), expected);
      assert.equal(translated.repairs, 0);
      const both = wordsOf(writePage(page, { ...options, variant: 'bilingual' }).text);
      for (const block of page.blocks) {
        assert.ok(both.includes(bare(block.text)) && both.includes(bare(mark(block.text))), block.text);
      }
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
      const output = readDocument(writeDocument(bytes, {}, translations, options).bytes).document;
      const texts = (blocks: readonly { text: string }[]) => blocks.map((block) => bare(block.text)).join('');
      assert.equal(texts(blocksOf(output)), texts([...translations.values()].map((text) => ({ text }))));
    }),
    { numRuns: 400 },
  );
});

function wordsOf(source: string): string {
  return readPage(parseXmlText(source, { htmlEntities: true }))
    .blocks.map((block) => bare(block.text))
    .join('');
}

function bare(text: string): string {
  return stripInlineTags(text).replace(/\s+/g, '');
}

function mark(text: string): string {
  return tokenizeInline(text)
    .map((token) => (token.kind === 'text' ? token.text.replace(/\p{L}+/gu, 'x$&q') : token.raw))
    .join('');
}
