/** What costs nothing, in every format: readings of ruby and the frame of a distributor. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCoverage, blocksOf, countCharacters } from '../../src/documents/document.ts';
import { readDocument, writeDocument } from './read-and-write.ts';
import { smallEpub } from './small-epub.ts';
import { paragraph, smallDocx, smallFb2, smallOdt } from './small-office.ts';

const header = ['The Project Gutenberg eBook of Night Ferry', 'This eBook is for the use of anyone anywhere.'];
const start = '*** START OF THE PROJECT GUTENBERG EBOOK NIGHT FERRY ***';
const end = '*** END OF THE PROJECT GUTENBERG EBOOK NIGHT FERRY ***';
const licence = ['THE FULL PROJECT GUTENBERG LICENSE', 'Please read this before you distribute or use this work.'];
const story = ['The ferry left at nine.', 'Nobody came to see it off.'];
const closing = "End of Project Gutenberg's Night Ferry, by Nobody";
const all = [...header, start, ...story, closing, end, ...licence];
const storyCharacters = story.reduce((sum, line) => sum + countCharacters(line), 0);

const books: [name: string, bytes: Uint8Array, fileName: string, extra: number][] = [
  // Plain text also counts the line ends between the frames.
  ['TXT', Buffer.from(`${all.join('\n\n')}\n`), 'a.txt', 5],
  ['Markdown', Buffer.from(all.map((line) => line.replaceAll('*', '\\*')).join('\n\n')), 'a.md', 0],
  ['HTML', Buffer.from(`<html><body>${all.map((line) => `<p>${line}</p>`).join('')}</body></html>`), 'a.html', 0],
  ['DOCX', smallDocx({ body: all.map((line) => paragraph(line)).join('') }), 'a.docx', 0],
  [
    'FB2',
    smallFb2({ body: `<section>${all.map((line) => `<p>${line}</p>`).join('')}</section>` }),
    'a.fb2',
    'Night Ferry'.length,
  ],
  [
    'EPUB',
    smallEpub({
      pages: {
        'a.xhtml': [...header, start, story[0]].map((line) => `<p>${line}</p>`).join(''),
        'b.xhtml': [story[1], closing, end].map((line) => `<p>${line}</p>`).join(''),
        'c.xhtml': licence.map((line) => `<p>${line}</p>`).join(''),
      },
    }),
    'a.epub',
    'Night Ferry'.length + 'Start here'.length,
  ],
];

for (const [name, bytes, fileName, extra] of books) {
  test(`${name}: the licence around a book is neither counted nor translated`, () => {
    const { document } = readDocument(bytes, { fileName });
    assertCoverage(document);
    const blocks = blocksOf(document);
    const texts = blocks.map(({ text }) => text);
    for (const line of story) assert.ok(texts.includes(line), line);
    assert.ok(!texts.some((text) => /GUTENBERG|Gutenberg|eBook|distribute/.test(text)), texts.join('\n'));
    assert.equal(document.totalCharacters, storyCharacters + extra);
    const limited = readDocument(bytes, { fileName, charLimit: 40 }).document;
    assertCoverage(limited);
    assert.equal(limited.characters, 40);
    assert.equal(limited.totalCharacters, document.totalCharacters);
    const translations = new Map(blocks.map(({ id, text }) => [id, text.toUpperCase()]));
    const options = { sourceLang: 'en', targetLang: 'de', variant: 'translated' } as const;
    const written = readDocument(writeDocument(bytes, { fileName }, translations, options).bytes, {
      fileName,
    }).document;
    assert.equal(written.totalCharacters, document.totalCharacters);
    assert.ok(blocksOf(written).some(({ text }) => text === 'THE FERRY LEFT AT NINE.'));
  });
}

test('TXT: the closing sentence of a file without a licence is left out, and a story that speaks of it is not', () => {
  const closings = [
    'End of the Project Gutenberg EBook of Night Ferry, by Nobody',
    'End of this Project Gutenberg Etext',
  ];
  for (const last of closings) {
    const { document } = readDocument(Buffer.from(`${story.join('\n\n')}\n\n${last}\n`), { fileName: 'a.txt' });
    assert.deepEqual(
      blocksOf(document).map((block) => block.text),
      story,
    );
  }
  const told = ['They spoke of the end of Project Gutenberg.', 'End of story.'];
  const { document } = readDocument(Buffer.from(`${told.join('\n\n')}\n`), { fileName: 'a.txt' });
  assert.equal(blocksOf(document).length, 2);
});

test('TXT: a licence that comes first, as in old files, is left out too', () => {
  const text = `Old header\n${'Legal words.\n'.repeat(200)}*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*\n\n${story.join('\n\n')}\n`;
  const { document } = readDocument(Buffer.from(text), { fileName: 'a.txt' });
  assert.deepEqual(
    blocksOf(document).map((block) => block.text),
    story,
  );
  assert.equal(document.totalCharacters, storyCharacters + 4);
});

test('Aozora: readings cost nothing, in plain text as in EPUB, and a limit counts without them', () => {
  const lines = ['灯台《とうだい》の霧《きり》は深い。', '｜夜の渡し《よるのわたし》が出た。'];
  const { document } = readDocument(Buffer.from(lines.join('\n')), { fileName: 'a.txt' });
  assert.deepEqual(
    blocksOf(document).flatMap((block) => block.ruby ?? []),
    [
      { base: '灯台', reading: 'とうだい' },
      { base: '霧', reading: 'きり' },
      { base: '夜の渡し', reading: 'よるのわたし' },
    ],
  );
  // One ｜ and one line end count beside the words.
  const words = '灯台の霧は深い。夜の渡しが出た。';
  assert.equal(document.totalCharacters, countCharacters(words) + 2);
  for (let charLimit = 1; charLimit <= document.totalCharacters; charLimit++) {
    const limited = readDocument(Buffer.from(lines.join('\n')), { fileName: 'a.txt', charLimit }).document;
    assertCoverage(limited);
    assert.equal(limited.characters, charLimit);
  }
  const ruby = '<p><ruby>灯台<rt>とうだい</rt></ruby>の<ruby>霧<rt>きり</rt></ruby>は深い。</p>';
  const epub = readDocument(smallEpub({ pages: { 'a.xhtml': ruby } })).document;
  assert.ok(blocksOf(epub).some(({ text, characters }) => text === '灯台の霧は深い。' && characters === 8));
});

const rubyHtml = '<ruby>灯台<rp>(</rp><rt>とうだい</rt><rp>)</rp></ruby>の<ruby>霧<rt>きり</rt></ruby>は深い。';
const rubyWord = (base: string, reading: string) =>
  `<w:r><w:ruby><w:rubyPr><w:rubyAlign w:val="distributeSpace"/></w:rubyPr><w:rt><w:r><w:rPr><w:sz w:val="10"/></w:rPr><w:t>${reading}</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>${base}</w:t></w:r></w:rubyBase></w:ruby></w:r>`;
const rubyOdt = (base: string, reading: string) =>
  `<text:ruby text:style-name="Ru1"><text:ruby-base>${base}</text:ruby-base><text:ruby-text>${reading}</text:ruby-text></text:ruby>`;
const docxBody = `<w:p>${rubyWord('灯台', 'とうだい')}<w:r><w:t>の</w:t></w:r>${rubyWord('霧', 'きり')}<w:r><w:t>は深い。</w:t></w:r></w:p>`;

for (const [name, bytes] of [
  ['a.docx', smallDocx({ body: docxBody })],
  ['a.odt', smallOdt(`<text:p>${rubyOdt('灯台', 'とうだい')}の${rubyOdt('霧', 'きり')}は深い。</text:p>`)],
  ['a.md', Buffer.from(`${rubyHtml}\n`)],
  ['block.md', Buffer.from(`<div>${rubyHtml}</div>\n`)],
  ['a.html', Buffer.from(`<html><body><p>${rubyHtml}</p></body></html>`)],
] as [string, Uint8Array][]) {
  test(`${name}: readings cost nothing, are known to the reader and go with the translation`, () => {
    const { document } = readDocument(bytes, { fileName: name });
    assertCoverage(document);
    assert.ok(document.hasRuby);
    const [block] = blocksOf(document);
    assert.deepEqual([block?.text, block?.characters], ['灯台の霧は深い。', 8]);
    assert.deepEqual(block?.ruby, [
      { base: '灯台', reading: 'とうだい' },
      { base: '霧', reading: 'きり' },
    ]);
    for (let charLimit = 1; charLimit <= 8; charLimit++) {
      const limited = readDocument(bytes, { fileName: name, charLimit }).document;
      assertCoverage(limited);
      assert.equal(limited.characters, charLimit);
    }
    const options = { sourceLang: 'ja', targetLang: 'en', variant: 'translated' } as const;
    const translations = new Map([[block?.id ?? '', 'The mist at the lighthouse is thick.']]);
    const written = writeDocument(bytes, { fileName: name }, translations, options).bytes;
    const again = readDocument(written, { fileName: name }).document;
    assertCoverage(again);
    assert.equal(blocksOf(again)[0]?.text, 'The mist at the lighthouse is thick.');
    assert.ok(!again.hasRuby);
    const bilingual = writeDocument(bytes, { fileName: name }, translations, {
      ...options,
      variant: 'bilingual',
    }).bytes;
    const texts = blocksOf(readDocument(bilingual, { fileName: name }).document).map(({ text }) => text);
    assert.ok(
      texts.some((text) => text.includes('灯台の霧は深い。')),
      texts.join('\n'),
    );
  });
}

test('Aozora: repeated kana are readings, and notes and missing characters never go to the engine as text', () => {
  const text = [
    '山々《やま／＼》と人々《ひとゞ》、諸《もろ／″＼》の船《ふねヽ》。',
    '彼は※［＃「てへん＋縦」、第4水準2-13-50］《ほう》った。［＃「った」に傍点］',
    '［＃「「霧」は底本では「※［＃「雨＋無」、U+9727、12-3］」」］霧《きり》だ。',
  ].join('\n');
  const bytes = Buffer.from(text);
  const { document } = readDocument(bytes, { fileName: 'a.txt' });
  assertCoverage(document);
  assert.deepEqual(
    blocksOf(document).map((block) => block.text),
    ['山々と人々、諸の船。', '彼は<1/>った。', '霧だ。'],
  );
  const translations = new Map([['b2', 'Er <1/> warf.']]);
  const options = { sourceLang: 'ja', targetLang: 'de', variant: 'translated' } as const;
  const written = Buffer.from(writeDocument(bytes, { fileName: 'a.txt' }, translations, options).bytes).toString(
    'utf8',
  );
  assert.match(written, /Er ※［＃「てへん＋縦」、第4水準2-13-50］ warf\./);
});

test('words inside of a line break, which XML allows, are read, counted and written like any others', () => {
  const page = '<p>One.<br>Two inside.</br>Three.</p><p>Ferry<wbr>boat</wbr> at nine.</p>';
  const bytes = smallEpub({ pages: { 'a.xhtml': page } });
  const { document } = readDocument(bytes, { fileName: 'a.epub' });
  assertCoverage(document);
  const texts = blocksOf(document).map(({ text }) => text.replaceAll(/<[^>]*>/g, ''));
  assert.ok(texts.includes('One.Two inside.Three.') && texts.includes('Ferryboat at nine.'), texts.join(' | '));
});

test('a line break that is styled as a block, or that has a prefix, is a line break', () => {
  for (const [page, text] of [
    ['<p>One.<br style="display: block; margin: 1em"/>Two.</p>', 'One.\nTwo.'],
    ['<x:p xmlns:x="http://www.w3.org/1999/xhtml">One.<x:br/>Two.</x:p>', 'One.\nTwo.'],
  ] as const) {
    const { document } = readDocument(smallEpub({ pages: { 'a.xhtml': page } }), { fileName: 'a.epub' });
    assert.ok(
      blocksOf(document).some((block) => block.text === text),
      page,
    );
  }
});

test('a break within a word that holds the first or the last word of a paragraph leaves a well-formed page', () => {
  const options = { sourceLang: 'en', targetLang: 'de', variant: 'translated' } as const;
  for (const page of ['<p>Ferry<wbr>boat</wbr></p>', '<p><wbr>Ferry</wbr>boat</p>']) {
    const bytes = smallEpub({ pages: { 'a.xhtml': page } });
    const id = blocksOf(readDocument(bytes).document).find(({ text }) => text === 'Ferryboat')?.id ?? '';
    const written = writeDocument(bytes, {}, new Map([[id, 'Fähre']]), options);
    const { document, warnings } = readDocument(written.bytes);
    assert.deepEqual(warnings, []);
    assert.ok(blocksOf(document).some(({ text }) => text === 'Fähre'));
  }
});
