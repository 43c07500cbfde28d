import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openArchive } from '../../src/documents/archive/archive.ts';
import { blocksOf, type Document, type WriteOptions } from '../../src/documents/document.ts';
import { writeEpub } from '../../src/documents/epub/write-epub.ts';
import { sniffFormat } from '../../src/documents/formats.ts';
import { AppError } from '../../src/errors.ts';
import { readDocument, writeDocument } from './read-and-write.ts';
import { sampleEpub2, sampleEpub3, sampleHtml, sampleVerticalEpub } from './sample-books.ts';
import { smallEpub } from './small-epub.ts';

const reasonOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error instanceof AppError ? error.details?.reason : error;
  }
  return undefined;
};

function part(bytes: Uint8Array, name: string): string {
  return Buffer.from(openArchive(bytes).read(name) ?? []).toString('utf8');
}

function shout(document: Document): Map<string, string> {
  return new Map(blocksOf(document).map((block) => [block.id, block.text.toUpperCase()]));
}

function write(bytes: Uint8Array, options: WriteOptions, charLimit?: number): Uint8Array {
  const source = charLimit === undefined ? {} : { charLimit };
  return writeDocument(bytes, source, shout(readDocument(bytes, source).document), options).bytes;
}

test('an EPUB is described: title, author, language, chapters, pictures', () => {
  const { document, warnings } = readDocument(sampleEpub3());
  assert.deepEqual(warnings, []);
  assert.equal(document.title, 'The Lamp on the Quay');
  assert.equal(document.author, 'Mara Ellery');
  assert.equal(document.declaredLanguage, 'en');
  assert.equal(document.imageCount, 2);
  assert.equal(document.writingMode, 'horizontal');
  assert.deepEqual(
    document.sections.map((section) => section.title),
    [undefined, 'I. The Harbour', 'II. The Second Lamp', 'Notes'],
  );
});

test('the text of a page becomes blocks of the right kind, with few tags', () => {
  const { document } = readDocument(sampleEpub3());
  assert.deepEqual(
    document.sections[1]?.blocks.map(({ kind, text }) => [kind, text]),
    [
      ['label', 'Start'],
      ['heading', 'I. The Harbour'],
      [
        'paragraph',
        'When the <1>Marigold</1> came in, nobody was <2>on the <3>quay</3></2> but the lamplighter.<4/> He waited & counted.',
      ],
      ['paragraph', '“Seven,” he said.'],
      ['paragraph', 'The <1>capitaine</1> pressed <2/> and then <b> on the board.'],
      ['label', 'A second evening'],
      ['paragraph', 'On the second evening the lamp was <1>out</1>, see <2>the other lamp</2> <3/> there.'],
      ['caption', 'lamp'],
      ['verse', 'The tide goes out,\nthe tide comes in,\nand none is <1>thin</1>.'],
      ['paragraph', 'Loose words in a box'],
      ['paragraph', 'and a paragraph inside'],
      ['paragraph', 'and a tail.'],
      ['list-item', 'rope'],
      ['list-item', 'oil'],
      ['list-item', 'lamp oil'],
      ['caption', 'Ships of the week'],
      ['cell', 'Ship'],
      ['cell', 'Day'],
      ['cell', 'Marigold'],
      ['cell', 'Monday'],
      ['caption', 'chart'],
      ['caption', 'A chart of the bay.'],
      ['verse', '  Dear Anna,\n    come soon.'],
    ],
  );
  const notes = blocksOf(document).filter((block) => block.kind === 'note');
  assert.deepEqual(
    notes.map((block) => block.text),
    ['The bakery burned down <1>later</1>.', '. He was also the postman.'],
  );
});

test('labels that repeat a heading are not charged again and take its translation', () => {
  const { document } = readDocument(sampleEpub3());
  assert.deepEqual(
    document.sections.at(-1)?.blocks.map((block) => block.text),
    [
      'Notes',
      '. He was also the postman.',
      'The Lamp on the Quay',
      'A harbour town keeps one lamp burning.',
      'Contents',
    ],
  );
  const written = write(sampleEpub3(), { sourceLang: 'en', targetLang: 'de', variant: 'translated' });
  const nav = part(written, 'OEBPS/nav.xhtml');
  assert.match(nav, /<a href="one\.xhtml">I\. THE HARBOUR<\/a>/);
  assert.match(nav, /II\. THE <em>SECOND<\/em> LAMP/);
  assert.match(part(written, 'OEBPS/toc.ncx'), /<text>II\. THE SECOND LAMP<\/text>/);
  assert.match(part(written, 'OEBPS/book.opf'), /<dc:title id="t1">THE LAMP ON THE QUAY<\/dc:title>/);
  assert.match(part(written, 'OEBPS/one.xhtml'), /<title>I\. THE HARBOUR<\/title>/);
});

test('language and direction follow the target in every part', () => {
  const written = write(sampleEpub3(), { sourceLang: 'en', targetLang: 'ar', variant: 'translated' });
  const opf = part(written, 'OEBPS/book.opf');
  assert.match(opf, /<dc:language>ar<\/dc:language>/);
  assert.match(opf, /<package[^>]* xml:lang="ar"/);
  assert.match(opf, /<spine page-progression-direction="rtl"/);
  const page = part(written, 'OEBPS/one.xhtml');
  assert.match(page, /<html[^>]* lang="ar" xml:lang="ar"/);
  assert.match(page, /<html[^>]* dir="rtl"/);
  assert.match(page, /<span lang="fr" xml:lang="fr">/);
  const french = part(
    write(sampleEpub2(), { sourceLang: 'fr', targetLang: 'en', variant: 'translated' }),
    'OEBPS/un.html',
  );
  assert.match(french, /<html[^>]* xml:lang="en">/);
  assert.doesNotMatch(french, /\slang=/);
});

test('vertical Japanese turns horizontal for English and stays vertical for Chinese', () => {
  const english = write(sampleVerticalEpub(), { sourceLang: 'ja', targetLang: 'en', variant: 'translated' });
  assert.match(part(english, 'OEBPS/one.xhtml'), /writing-mode: horizontal-tb !important/);
  assert.match(part(english, 'OEBPS/book.opf'), /page-progression-direction="ltr"/);
  const chinese = write(sampleVerticalEpub(), { sourceLang: 'ja', targetLang: 'zh-Hant', variant: 'translated' });
  assert.doesNotMatch(part(chinese, 'OEBPS/one.xhtml'), /horizontal-tb/);
  assert.match(part(chinese, 'OEBPS/book.opf'), /page-progression-direction="rtl"/);
  const { document } = readDocument(sampleVerticalEpub());
  assert.equal(document.writingMode, 'vertical');
  assert.equal(document.hasRuby, true);
  const [, paragraph] = document.sections[0]?.blocks ?? [];
  assert.equal(paragraph?.text, '灯台の光が海を照らす。');
  assert.deepEqual(paragraph?.ruby, [
    { base: '灯台', reading: 'とうだい' },
    { base: '光', reading: 'ひかり' },
  ]);
});

test('bilingual keeps ruby and ids in the source half and repeats no cell', () => {
  const bytes = sampleVerticalEpub();
  const { document } = readDocument(bytes);
  const translations = new Map(blocksOf(document).map((block) => [block.id, 'Light.']));
  const options = { sourceLang: 'ja', targetLang: 'en', variant: 'bilingual' } as const;
  const page = part(writeDocument(bytes, {}, translations, options).bytes, 'OEBPS/one.xhtml');
  assert.match(page, /<p lang="ja" xml:lang="ja">　<ruby>灯台<rp>/);
  assert.match(page, /<\/p>\n<p lang="en" xml:lang="en" class="toledo-translation">Light\.<\/p>/);
  assert.match(page, /<style type="text\/css">[^<]*\.toledo-translation \{ border-left/);
  const table = part(
    write(sampleEpub3(), { sourceLang: 'en', targetLang: 'de', variant: 'bilingual' }),
    'OEBPS/one.xhtml',
  );
  assert.match(
    table,
    /<td><span lang="en" xml:lang="en">Marigold<\/span><br\/><span lang="de" xml:lang="de" class="toledo-translation">MARIGOLD<\/span><\/td>/,
  );
  assert.equal(table.split('<td>').length, part(sampleEpub3(), 'OEBPS/one.xhtml').split('<td>').length);
});

test('a limited book drops later pages, their pictures and their links', () => {
  const written = write(sampleEpub3(), { sourceLang: 'en', targetLang: 'de', variant: 'translated' }, 120);
  const names = openArchive(written).entries.map((entry) => entry.name);
  assert.ok(names.includes('OEBPS/one.xhtml') && names.includes('OEBPS/pic.png'));
  for (const gone of ['OEBPS/two b.xhtml', 'OEBPS/notes.xhtml', 'OEBPS/late.png'])
    assert.ok(!names.includes(gone), gone);
  assert.doesNotMatch(part(written, 'OEBPS/book.opf'), /notes|two%20b|late/);
  assert.doesNotMatch(part(written, 'OEBPS/nav.xhtml'), /notes|two%20b|scene2/);
  assert.doesNotMatch(part(written, 'OEBPS/toc.ncx'), /notes|two%20b/);
  assert.doesNotMatch(part(written, 'OEBPS/one.xhtml'), /notes\.xhtml/);
});

test('a limit never splits a grapheme cluster', () => {
  const bytes = Buffer.from('<html><body><p>Sie: 👩‍👩‍👧 da.</p></body></html>');
  const at = (charLimit: number) => blocksOf(readDocument(bytes, { charLimit }).document)[0]?.text;
  assert.equal(at(5), 'Sie: ');
  assert.equal(at(7), 'Sie: ');
  assert.equal(at(10), 'Sie: 👩‍👩‍👧');
});

test('formats are told by content, whatever the name says', () => {
  assert.equal(sniffFormat(sampleEpub3(), 'novel.txt'), 'epub');
  assert.equal(sniffFormat(sampleHtml(), 'novel.txt'), 'html');
  // Nobody calls a page a book: what is named so and is no archive is damaged.
  assert.equal(
    reasonOf(() => sniffFormat(sampleHtml(), 'novel.epub')),
    'UNREADABLE_SOURCE',
  );
  assert.equal(
    reasonOf(() => sniffFormat(new Uint8Array())),
    'EMPTY_SOURCE',
  );
  assert.equal(
    reasonOf(() => sniffFormat(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 2, 3]))),
    'UNSUPPORTED_FORMAT',
  );
  assert.equal(
    reasonOf(() => readDocument(Buffer.from('<html><body><hr></body></html>'))),
    'EMPTY_SOURCE',
  );
});

test('a target with a private subtag, such as that of a sandbox scenario, is named by its language', () => {
  for (const targetLang of ['en-x-slow', 'pt-BR-x-terms', 'zh-Hant-x-tags']) {
    for (const variant of ['translated', 'bilingual'] as const) {
      const edition = { id: 'task_1', modifiedAt: new Date(0) };
      const opf = part(write(sampleEpub3(), { sourceLang: 'en', targetLang, variant, edition }), 'OEBPS/book.opf');
      assert.match(opf, new RegExp(`<dc:language[^>]*>${targetLang}<`));
      const names = { 'en-x-slow': 'English', 'pt-BR-x-terms': 'português (Brasil)', 'zh-Hant-x-tags': '繁體中文' };
      assert.ok(opf.includes(`${names[targetLang as keyof typeof names]})`), opf);
    }
  }
});

test('a document is never written into another book', () => {
  const { document } = readDocument(sampleEpub2());
  const options = { sourceLang: 'fr', targetLang: 'en', variant: 'translated' } as const;
  assert.throws(() => writeEpub(sampleEpub3(), document, new Map(), options), { code: 'INTERNAL' });
});

test('an entry of the contents that is no link stays in its element, and the name of the book is no chapter', () => {
  const nav =
    '<ol><li><span>Part One</span><ol><li><a href="a.xhtml">Arrival</a></li></ol></li><li><span>Part <i>Two</i></span><ol><li><a href="b.xhtml">Departure</a></li></ol></li></ol>';
  const pages = {
    'cover.xhtml': '<p><img src="c.png" alt=""/></p>',
    'a.xhtml': '<p>He came.</p>',
    'b.xhtml': '<p>He left.</p>',
  };
  const bytes = smallEpub({ pages, nav });
  const { document } = readDocument(bytes);
  assert.deepEqual(
    document.sections.map(({ title, blocks }) => [title, blocks.filter(({ kind }) => kind !== 'label').length]),
    [
      ['Arrival', 1],
      ['Departure', 1],
    ],
  );
  const written = part(write(bytes, { sourceLang: 'en', targetLang: 'fr', variant: 'translated' }), 'nav.xhtml');
  assert.match(written, /<li><span>PART ONE<\/span><ol><li><a href="a.xhtml">ARRIVAL<\/a>/);
  assert.match(written, /<li><span>PART <i>TWO<\/i><\/span><ol>/);
});

test('what stands in the place of a thing that cannot be shown is translated', () => {
  const object = '<object data="map.svg" type="image/svg+xml"><param name="a" value="b"/>';
  const page = `<p>${object}A map of the bay.</object></p><div>${object}<p>The bay, with <b>two</b> lights.</p></object></div><p>Look: ${object}</object> and go.</p>`;
  const bytes = smallEpub({ pages: { 'a.xhtml': page } });
  const { document } = readDocument(bytes);
  const texts = blocksOf(document).map(({ text }) => text);
  assert.deepEqual(texts.slice(0, 4), [
    'Start here',
    'A map of the bay.',
    'The bay, with <1>two</1> lights.',
    'Look: <1/> and go.',
  ]);
  const written = part(write(bytes, { sourceLang: 'en', targetLang: 'fr', variant: 'translated' }), 'a.xhtml');
  assert.ok(written.includes(`<p>${object}A MAP OF THE BAY.</object></p>`), written);
});
