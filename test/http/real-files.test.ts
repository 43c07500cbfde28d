/** Files as other programs write them, from the upload to the download: accepted, counted rightly, and nothing of them lost. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { openArchive } from '../../src/documents/archive/archive.ts';
import { encodeLegacy } from '../documents/encode-legacy.ts';
import { smallEpub } from '../documents/small-epub.ts';
import { paragraph, smallDocx, smallFb2, smallOdt } from '../documents/small-office.ts';
import { assertError, create, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const { key } = await app.account({ credits: 1_000_000 });

interface Delivered {
  task: Awaited<ReturnType<typeof run>>;
  text: string;
  /** The text of one entry of an archive. */
  part(name: string): string;
}

/** The sandbox puts what it translates between ⟦ and ⟧. */
async function translate(fileName: string, content: Uint8Array | string, fields = {}): Promise<Delivered> {
  const file = { content: Buffer.from(content as string), fileName };
  const order = { action: 'translation', source_lang: 'en', target_lang: 'fr', estimated_chars: 1 };
  const task = await run(app, key, { ...order, ...fields }, { file });
  assert.equal(task.status, 'completed', JSON.stringify(task));
  assert.equal(task.coverage.translated + task.coverage.kept, task.char_count);
  const { body } = await app.call('GET', `/api/v1/tasks/${task.task_id}/download`, { key });
  const bytes = Buffer.from(await (await fetch(body.data.download_url)).arrayBuffer());
  const part = (name: string) => Buffer.from(openArchive(bytes).read(name) ?? []).toString();
  return { task, text: bytes.toString(), part };
}

const marked = /⟦[^⟧]+⟧/;
const markedCount = (text: string) => text.match(/⟦/g)?.length ?? 0;

test('an indented Word file with a footnote is translated, and the note keeps the blank after its number', async () => {
  const { part } = await translate(
    'fn.docx',
    smallDocx({
      body: `
    <w:p>
      <w:r>
        <w:rPr>
          <w:i />
        </w:rPr>
        <w:t>The ferry left late.</w:t>
      </w:r>
      <w:r><w:footnoteReference w:id="20" /></w:r>
    </w:p>`,
      footnotes:
        '<w:footnote w:id="20"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space="preserve"> As always.</w:t></w:r></w:p></w:footnote>',
    }),
  );
  assert.match(part('word/document.xml'), marked);
  assert.match(part('word/footnotes.xml'), /<w:footnoteRef\/>.*<w:t xml:space="preserve"> <\/w:t>.*⟦/);
});

test('a Word file into Arabic is right to left although it says "not", under any name of its main part, with a text box in both copies', async () => {
  const box = (text: string) => `<w:txbxContent>${paragraph(text)}</w:txbxContent>`;
  const { part } = await translate(
    'office.docx',
    smallDocx({
      main: 'word/document2.xml',
      body: `${paragraph('The ferry left.', '<w:pPr><w:bidi w:val="0"/></w:pPr>')}<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><wps:txbx>${box('In the box.')}</wps:txbx></mc:Choice><mc:Fallback><v:textbox>${box('In the box.')}</v:textbox></mc:Fallback></mc:AlternateContent></w:r></w:p>`,
      entries: { 'word/media/sky.bmp': new Uint8Array(6 * 1024 * 1024) },
    }),
    { target_lang: 'ar' },
  );
  const main = part('word/document2.xml');
  assert.match(main, /<w:bidi\/>/);
  assert.equal(markedCount(main), 3);
  assert.doesNotMatch(main, /In the box/);
});

test('FB2 notes that refer to themselves, and one that only the annotation cites, count once', async () => {
  const anchor = (id: string) => `<a l:href="#${id}" type="note">1</a>`;
  const body = `<section><p>The ferry left${anchor('a')}.</p></section>`;
  const annotation = `<p>A tale${anchor('b')}.</p>`;
  const notes = `<section id="a"><p>See this note${anchor('a')}.</p></section><section id="b"><p>Told at night.</p></section>`;
  const { task, text } = await translate('notes.fb2', smallFb2({ body, annotation, notes }));
  const words = ['The ferry left.', 'See this note.', 'Told at night.', 'A tale.', 'Night Ferry'];
  assert.equal(task.char_count, words.join('').length, 'without the numbers of the notes');
  assert.equal(markedCount(text), words.length);
});

test('UTF-16 without a mark is read, and blanks beside code and pictures stay in Markdown', async () => {
  const russian = Buffer.from('Дождь не прекращался три дня. Мара положила письмо на стол.\n', 'utf16le');
  const { task } = await translate('a.txt', russian, { source_lang: 'ru' });
  assert.equal(task.char_count, 60);
  const markdown = '---\ntitle: Night Ferry\n---\n\n`oar` begins here.\n\n![boat](b.png) A boat.\n';
  const { text } = await translate('a.md', markdown);
  assert.match(text, /^title: .*⟦/m);
  assert.match(text, /^`oar` ⟦/m);
  assert.match(text, /\(b\.png\) [^⟧]+⟧/);
});

test('neither ruby readings nor the licence of a library are counted or sent to an engine', async () => {
  const aozora = await translate('a.txt', '　吾輩《わがはい》は猫である。名前はまだ無い。\n', { source_lang: 'ja', target_lang: 'en' }); // biome-ignore format: one line
  assert.equal(aozora.task.char_count, [...'　吾輩は猫である。名前はまだ無い。\n'].length);
  assert.doesNotMatch(aozora.text, /わがはい/);
  const mark = (word: string) => `*** ${word} OF THE PROJECT GUTENBERG EBOOK NIGHT FERRY ***`;
  const licence = 'Please read this before you distribute or use this work.';
  const book = await translate(
    'b.txt',
    `${mark('START')}\n\nThe ferry left at nine.\n\n${mark('END')}\n\n${licence}\n`,
  );
  assert.ok(book.task.char_count < 40, String(book.task.char_count));
  assert.ok(book.text.includes(licence), 'it stays word for word');
});

test('hidden entries of the contents, descriptions and drawings of an EPUB are translated; .epub that is none is refused', async () => {
  const { part } = await translate(
    'a.epub',
    smallEpub({
      pages: {
        'a.xhtml':
          '<h1>One</h1><p>The ferry <img src="a.png" alt="A white boat"/> left.</p><svg xmlns="http://www.w3.org/2000/svg"><text>To the north</text></svg>',
      },
      nav: '<ol><li><a href="a.xhtml">One</a><ol hidden=""><li><a href="a.xhtml#x">The old quay</a></li></ol></li></ol>',
      withoutMimetype: true,
    }),
  );
  assert.doesNotMatch(part('nav.xhtml'), /The old quay/);
  assert.match(part('a.xhtml'), /alt="⟦[^"]*⟧"/);
  assert.match(part('a.xhtml'), /<text>⟦/);
  assert.equal(part('mimetype'), 'application/epub+zip');
  const file = { content: 'The ferry left.', fileName: 'a.epub' };
  const refused = await create(app, key, { action: 'token_estimate', estimated_chars: 1 }, { file });
  assertError(refused, 400, 'BAD_REQUEST', { field: 'file', reason: 'UNREADABLE_SOURCE' });
});

test('a Hebrew page into English begins at the left', async () => {
  const page = '<html dir="rtl"><body><p align="right">המעבורת יצאה בתשע בערב.</p></body></html>';
  const { text } = await translate('a.html', page, { source_lang: 'he', target_lang: 'en' });
  assert.doesNotMatch(text, /right|rtl/);
  assert.match(text, marked);
});

test('the body of an ODT is translated although a date style with the word "text" comes first', async () => {
  const style =
    '<office:automatic-styles xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0"><number:date-style><number:text>. </number:text></number:date-style></office:automatic-styles>';
  const header =
    '<style:master-page xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"><style:header><text:p>Night Ferry</text:p></style:header></style:master-page>';
  const { task, part } = await translate('a.odt', smallOdt('<text:p>The ferry left.</text:p>', { style, header }));
  assert.equal(task.char_count, 'The ferry left.Night Ferry'.length);
  assert.match(part('content.xml'), marked);
  assert.match(part('styles.xml'), marked);
});

test('Dutch in ISO 8859-1 is read as it is, and a page that names a wrong encoding is read rightly with a warning', async () => {
  const sentence = 'Gabriël en Zoë hadden geen idee waar de brief was gebleven.\n\n';
  const file = { content: Buffer.from(sentence.repeat(30), 'latin1'), fileName: 'a.txt' };
  const dutch = await run(app, key, { action: 'preview_metadata', char_limit: 1000 }, { file });
  assert.equal(dutch.metadata.encoding, 'windows-1252');
  assert.deepEqual(dutch.warnings ?? [], []);
  const page =
    '<html><head><meta charset="iso-8859-1"></head><body><p>Паром ушёл без них, и никто не заметил.</p></body></html>';
  const russian = await translate('b.html', encodeLegacy(page, 'windows-1251'), { source_lang: 'ru' });
  const [warning] = russian.task.warnings;
  assert.equal(warning.code, 'ENCODING_UNCERTAIN');
  assert.match(warning.message, /windows-1251.*windows-1252/);
});

test('a paragraph that is nothing but an address or a formula is delivered as it is, and is no failure', async () => {
  const lines = ['https://example.org/ferry?night=1', 'E = mc²', '12, rue de la Paix, 75002 Paris'];
  const { task, text } = await translate('a.txt', `The ferry left.\n\n${lines.join('\n\n')}\n\nNobody came.\n`);
  assert.equal(task.coverage.failed, 0);
  assert.equal(task.credits_charged, task.char_count);
  for (const line of lines.slice(0, 2)) assert.ok(text.includes(`\n${line}\n`), text);
});

test('reference links, definitions and formulas of Markdown survive a translation', async () => {
  const source =
    'Ferry\n:   A boat, see [the timetable].\n\nIt is $M \\times N$ long.\n\n[the timetable]: https://example.org/t\n';
  const { text } = await translate('a.md', source);
  assert.match(text, /^⟦?.*\]\[the timetable\]/m);
  assert.match(text, /^: {3}/m);
  assert.ok(text.includes('$M \\times N$'), text);
  assert.ok(text.includes('\n[the timetable]: https://example.org/t\n'), text);
});
