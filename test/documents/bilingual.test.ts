/** A bilingual book tells source and translation apart at sight in every format; EPUB and HTML are looked at in a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openArchive } from '../../src/documents/archive/archive.ts';
import { blocksOf } from '../../src/documents/document.ts';
import { openDocument } from '../../src/documents/formats.ts';
import { paragraph, smallDocx, smallFb2, smallOdt } from './small-office.ts';

function bilingual(bytes: Uint8Array, fileName: string, targetLang = 'de'): Uint8Array {
  const opened = openDocument(bytes, { fileName });
  const shouted = new Map(blocksOf(opened.document).map(({ id, text }) => [id, text.toUpperCase()]));
  return opened.write(shouted, { sourceLang: 'en', targetLang, variant: 'bilingual' }).bytes;
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');
const partOf = (bytes: Uint8Array, name: string) => textOf(openArchive(bytes).read(name) ?? new Uint8Array());

const line = (side: string) => `<w:${side} w:val="single" w:sz="12" w:space="4" w:color="auto"/>`;

test('Word: a line beside each translated paragraph, in the order of the schema; grey in a heading', () => {
  const box = '<w:pBdr><w:top w:val="single"/><w:left w:val="dashed"/><w:right w:val="single"/></w:pBdr>';
  const properties = `<w:pPr><w:pStyle w:val="Quote"/><w:keepNext/><w:pageBreakBefore/>${box}<w:jc w:val="both"/><w:rPr><w:shd w:fill="000000"/></w:rPr></w:pPr>`;
  const heading = '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>';
  const cell = `<w:tbl><w:tr><w:tc>${paragraph('rain')}</w:tc></w:tr></w:tbl>`;
  const body = `${paragraph('One', heading)}${cell}${paragraph('The ferry left.')}${paragraph('Nobody came.', properties)}${paragraph('1815')}`;
  const written = partOf(bilingual(smallDocx({ body }), 'a.docx'), 'word/document.xml');
  assert.ok(written.includes(paragraph('The ferry left.')) && written.includes(paragraph('Nobody came.', properties)));
  assert.match(written, /One<\/w:t><\/w:r><w:r>.*?<w:br\/><\/w:r><w:r><w:rPr><w:color w:val="595959"\/>.*?ONE/);
  assert.ok(written.includes(`<w:p><w:pPr><w:pBdr>${line('left')}</w:pBdr></w:pPr><w:r>`));
  assert.ok(
    written.includes(
      `<w:pPr><w:pStyle w:val="Quote"/><w:keepNext/><w:pBdr><w:top w:val="single"/>${line('left')}<w:right w:val="single"/></w:pBdr><w:jc w:val="both"/><w:rPr>`,
    ),
    written,
  );
  assert.match(
    written,
    /<w:rPr><w:color w:val="595959"\/><w:lang w:val="de"\/><\/w:rPr><w:t xml:space="preserve">RAIN/,
  );
  assert.equal(written.split('1815').length, 2, 'what stays as it is is not said twice');
  const arabic = partOf(bilingual(smallDocx({ body }), 'a.docx', 'ar'), 'word/document.xml');
  assert.ok(arabic.includes(`<w:pBdr>${line('right')}</w:pBdr><w:bidi/>`), arabic);
});

test('OpenDocument: a style with a line beside it for each style of the sources; grey in a heading', () => {
  const names =
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"';
  const own =
    '<style:style style:name="P1" style:family="paragraph" style:master-page-name="First"><style:paragraph-properties fo:border="1pt solid #ff0000" fo:text-indent="1cm" fo:break-before="page"/></style:style>';
  const style = `<office:automatic-styles ${names}>${own}<style:style style:name="ToledoTranslation1" style:family="text"/></office:automatic-styles>`;
  const body =
    '<text:h text:outline-level="1">One</text:h><text:p text:style-name="P1">The ferry left.</text:p><text:p text:style-name="Text_20_body">Nobody came.</text:p><text:p text:style-name="P1">No boat came.</text:p><text:p>The end.</text:p>';
  const written = partOf(bilingual(smallOdt(body, { style }), 'a.odt'), 'content.xml');
  const styleOf = (text: string) => new RegExp(`text:style-name="(\\w+)"[^<]*>${text}<`).exec(written)?.[1] ?? '';
  const styleText = (name: string) =>
    new RegExp(`<style:style style:name="${name}".*?</style:style>`).exec(written)?.[0];
  assert.ok(written.includes(`${own}<style:style style:name="ToledoTranslation1"`), 'the styles of the book stay');
  assert.equal(styleOf('THE FERRY LEFT.'), styleOf('NO BOAT CAME.'));
  const copied = styleText(styleOf('THE FERRY LEFT.')) ?? '';
  assert.match(copied, /fo:border-left="1.5pt solid #000000"/);
  assert.match(copied, /fo:border-right="1pt solid #ff0000"[\s\S]*fo:text-indent="1cm" fo:break-before="auto"/);
  assert.match(copied, /style:master-page-name=""/);
  assert.match(styleText(styleOf('NOBODY CAME.')) ?? '', /parent-style-name="Text_20_body".*fo:border-left/);
  assert.match(styleText(styleOf('THE END.')) ?? '', /fo:border-left/);
  assert.match(styleText(styleOf('ONE')) ?? '', /<style:text-properties fo:color="#595959"\/>/);
  const bare = partOf(bilingual(smallOdt('<text:p>The end.</text:p>'), 'a.odt', 'ar'), 'content.xml');
  assert.match(bare, /xmlns:fo=.*<office:automatic-styles>.*fo:border-right=.*<office:body>.*>THE END\.<\/text:p>/);
});

test('FB2: a translation is emphasised; the plain text of the description is not', () => {
  const section =
    '<section><title><p>One</p></title><p id="a">The <emphasis>ferry</emphasis> left.</p><poem><stanza><v>Row on.</v></stanza></poem><table><tr><td>rain</td></tr></table></section>';
  const written = textOf(bilingual(smallFb2({ body: section }), 'a.fb2'));
  assert.match(written, /<p>One<\/p>\s*<p><emphasis>ONE<\/emphasis><\/p>/);
  assert.match(
    written,
    /<p id="a">The .*left\.<\/p>\s*<p><emphasis>THE <emphasis>FERRY<\/emphasis> LEFT\.<\/emphasis><\/p>/,
  );
  assert.match(written, /<v>Row on\.<\/v>\s*<v><emphasis>ROW ON\.<\/emphasis><\/v>/);
  assert.match(written, /<td>rain <emphasis>RAIN<\/emphasis><\/td>/);
  assert.match(written, /<book-title>Night Ferry NIGHT FERRY<\/book-title>/);
});

test('Markdown: a translation is a block quote in the container of its source', () => {
  const source =
    '# One\n\nThe ferry left.\n\n- a lamp\n- a *map*\n\n> Nobody came.\n\nRow on,  \nrow on,  \nrow on.\n\nText[^1]\n* * *\n\n[^1]: A note.\n\n| Monday |\n|---|\n| rain |\n\n| Line one\n| line two\n';
  assert.equal(
    textOf(bilingual(Buffer.from(source), 'a.md')),
    '# One — ONE\n\nThe ferry left.\n\n> THE FERRY LEFT.\n\n- a lamp\n\n  > A LAMP\n\n- a *map*\n\n  > A *MAP*\n\n> Nobody came.\n>\n> > NOBODY CAME.\n\nRow on,  \nrow on,  \nrow on.\n\n> ROW ON,  \n> ROW ON,  \n> ROW ON.\n\nText[^1]\n\n> TEXT\n\n* * *\n\n[^1]: A note.\n\n    > A NOTE.\n\n| Monday<br>MONDAY |\n|---|\n| rain<br>RAIN |\n\n| Line one\n| line two\n\n> | LINE ONE\n> | LINE TWO\n',
  );
});

test('plain text: each line of a translation begins with the mark of a quote', () => {
  const source = 'Chapter 1\r\n\r\nThe ferry left.\r\n\r\n    Row on,\r\n    row on,\r\n    row on.\r\n\r\n1815\r\n';
  const written = textOf(bilingual(Buffer.from(source), 'a.txt'));
  assert.ok(
    written.startsWith('Chapter 1\r\n\r\n> CHAPTER 1\r\n\r\nThe ferry left.\r\n\r\n> THE FERRY LEFT.\r\n\r\n'),
    written,
  );
  assert.match(written, /\r\n {4}> ROW ON,(?:\r\n {4}>)? ROW ON,/);
  assert.equal(written.replace(/^ *> .*\r\n(?:\r\n)?/gm, ''), source, 'the source stays byte for byte');
});
