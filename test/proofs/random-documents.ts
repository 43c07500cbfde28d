/**
 * Random DOCX, ODT, FB2 and Markdown documents are read completely and hold every translated word exactly once. Size:
 * documents of each format; words choose formats: `npm run prove random-documents 20000 Markdown`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openArchive } from '../../src/documents/archive/archive.ts';
import { createArchive } from '../../src/documents/archive/archive-writer.ts';
import { assertCoverage, blocksOf } from '../../src/documents/document.ts';
import { openDocument } from '../../src/documents/formats.ts';
import { stripInlineTags, tokenizeInline } from '../../src/inline-tags.ts';
import { readDocument } from '../documents/read-and-write.ts';
import { smallDocx, smallFb2 } from '../documents/small-office.ts';
import { proofRun } from '../support/proof.ts';

const { size: numRuns, seed, names } = proofRun({ short: 80, long: 20_000, seed: 1 });
const options = { sourceLang: 'en', targetLang: 'de', variant: 'translated' } as const;

/** Elements nested at random: leaves, and wrappers given as `open` and `close`. */
function tree(leaves: readonly string[], wrappers: readonly (readonly [string, string])[]): fc.Arbitrary<string> {
  return fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(...leaves),
      fc
        .tuple(fc.constantFrom(...wrappers), fc.array(tie('node'), { maxLength: 4 }))
        .map(([[open, close], children]) => open + children.join('') + close),
    ),
  })).node;
}

const listOf = (item: fc.Arbitrary<string>, maxLength = 8) =>
  fc.array(item, { minLength: 1, maxLength }).map((items) => items.join(''));

const drawing = 'http://schemas.openxmlformats.org/drawingml/2006';
const chart = `<c:chartSpace xmlns:c="${drawing}/chart" xmlns:a="${drawing}/main"><c:title><c:rich><a:p><a:r><a:rPr b="1"/><a:t>Schaubild </a:t></a:r><a:r><a:t>fett</a:t></a:r><a:br/><a:r><a:t>unten</a:t></a:r></a:p></c:rich></c:title><c:strCache><c:pt><c:v>Winter</c:v></c:pt></c:strCache></c:chartSpace>`;
const run = (inner: string, properties = '') => `<w:r>${properties}${inner}</w:r>`;
const words = (text: string) => `<w:t xml:space="preserve">${text}</w:t>`;
const inlineWord = tree(
  [
    run(words('Wort ')),
    run(words(' zwei'), '<w:rPr><w:i/></w:rPr>'),
    run(words('Fett'), '\n  <w:rPr>\n <w:b/>\n </w:rPr>\n'),
    run(`${words('Vers')}<w:br/>${words('Zeile')}`),
    run(`<w:tab/>${words('Halt &amp; &lt;1&gt;')}`),
    run('<w:footnoteReference w:id="2"/>'),
    run(`<w:drawing><c:chart xmlns:c="${drawing}/chart" r:id="rc"/></w:drawing>`),
    run('<w:noBreakHyphen/>'),
    run(words('weg'), '<w:rPr><w:vanish/></w:rPr>'),
    run(
      `<w:ruby><w:rubyPr/><w:rt>${run(words('Lesung'))}</w:rt><w:rubyBase>${run(words('Grund'))}</w:rubyBase></w:ruby>`,
    ),
    run('<w:fldChar w:fldCharType="begin"/>') +
      run('<w:instrText>PAGE</w:instrText>') +
      run('<w:fldChar w:fldCharType="end"/>'),
    '<w:bookmarkStart w:id="1" w:name="b"/>',
    '<w:proofErr w:type="spellStart"/>',
    '\n    ',
    run(
      `<mc:AlternateContent><mc:Choice Requires="wps"><wps:txbx><w:txbxContent><w:p>${run(words('Kasten'))}</w:p></w:txbxContent></wps:txbx></mc:Choice><mc:Fallback><v:textbox><w:txbxContent><w:p>${run(words('Kasten'))}</w:p></w:txbxContent></v:textbox></mc:Fallback></mc:AlternateContent>`,
    ),
  ],
  [
    ['<w:hyperlink w:anchor="b">', '</w:hyperlink>'],
    ['<w:ins w:id="3" w:author="E">', '</w:ins>'],
    ['<w:del w:id="4" w:author="E">', '</w:del>'],
    ['<w:moveFrom w:id="5" w:author="E">', '</w:moveFrom>'],
    ['<w:moveTo w:id="6" w:author="E">', '</w:moveTo>'],
    ['<w:sdt><w:sdtPr/><w:sdtContent>', '</w:sdtContent></w:sdt>'],
    [
      '<w:sdt>\n<w:sdtPr><w:id w:val="7"/><w:dataBinding w:xpath="/a"/></w:sdtPr>\n<w:sdtContent>',
      '</w:sdtContent></w:sdt>',
    ],
    ['<w:sdt><w:sdtPr><w14:checkbox xmlns:w14="urn:w14"/></w:sdtPr><w:sdtContent>', '</w:sdtContent></w:sdt>'],
    ['<w:fldSimple w:instr="HYPERLINK x">', '</w:fldSimple>'],
    ['<w:fldSimple w:instr="DATE">', '</w:fldSimple>'],
    ['<w:smartTag w:element="x">', '</w:smartTag>'],
  ],
);
const wordParagraph = listOf(inlineWord).map((inner) => `<w:p><w:pPr>\n<w:bidi w:val="0"/></w:pPr>${inner}</w:p>`);
const wordBlock = fc.oneof(
  wordParagraph,
  wordParagraph.map((p) => `<w:tbl><w:tr>\n<w:tc>${p}</w:tc></w:tr></w:tbl>`),
  wordParagraph.map((p) => `<w:sdt><w:sdtContent>${p}</w:sdtContent></w:sdt>`),
);
const note =
  '<w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space="preserve"> Fußnote</w:t></w:r></w:p></w:footnote>';

const odtInline = tree(
  [
    'Wort ',
    ' zwei',
    '&lt;3/&gt;',
    '<text:s text:c="3"/>',
    '<text:tab/>',
    '<text:line-break/>',
    '\n  ',
    '<text:bookmark text:name="b"/>',
    '<text:change text:change-id="c"/>',
    'neu<text:change-end text:change-id="c"/>',
    '<office:annotation><text:p>Anmerkung</text:p></office:annotation>',
    '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>Fuß</text:p></text:note-body></text:note>',
    '<text:ruby><text:ruby-base>Grund</text:ruby-base><text:ruby-text>Lesung</text:ruby-text></text:ruby>',
    '<draw:frame><draw:text-box><text:p>Kasten</text:p></draw:text-box></draw:frame>',
    '<text:page-number>7</text:page-number>',
  ],
  [
    ['<text:span text:style-name="T">', '</text:span>'],
    ['<text:a xlink:href="x">', '</text:a>'],
    ['<text:meta>', '</text:meta>'],
  ],
);
const odtParagraph = listOf(odtInline).map((inner) => `<text:p>${inner}</text:p>`);
const odtBlock = fc.oneof(
  odtParagraph,
  odtParagraph.map((p) => `<text:list><text:list-item>${p}</text:list-item></text:list>`),
  odtParagraph.map(
    (p) => `<table:table><table:table-row><table:table-cell>${p}</table:table-cell></table:table-row></table:table>`,
  ),
  fc.constant('<text:h text:outline-level="1">Kapitel</text:h>'),
);

const fb2Inline = tree(
  [
    'Wort ',
    ' zwei',
    '&amp;',
    '\n',
    '<image l:href="#i"/>',
    '<a l:href="#n1" type="note">[1]</a>',
    '<a l:href="#n2" type="note">2</a>',
    '&lt;1&gt;',
  ],
  [
    ['<emphasis>', '</emphasis>'],
    ['<strong>', '</strong>'],
    ['<a l:href="http://x">', '</a>'],
    ['<style name="s">', '</style>'],
  ],
);
const fb2Paragraph = listOf(fb2Inline).map((inner) => `<p>${inner}</p>`);
const fb2Block = fc.oneof(
  fb2Paragraph,
  fb2Paragraph.map((p) => `<section><title>${p}</title>${p}</section>`),
  fb2Paragraph.map((p) => `<poem><stanza>${p.replaceAll('<p>', '<v>').replaceAll('</p>', '</v>')}</stanza></poem>`),
  fb2Paragraph.map((p) => `<cite>${p}</cite>`),
  listOf(fb2Inline),
  fc.constant('<empty-line/>'),
);

const markdownInline = fc.constantFrom(
  ...[
    'Wort',
    ' zwei ',
    '*kursiv*',
    '**fett**',
    '`code`',
    ' [Link](x.html) ',
    '![Bild](b.png)',
    '[^1]',
    ' <b>html</b> ',
    '\\*',
    '&amp;',
    '<1>',
    '  \n',
    '\n',
    '{.x}',
    '[Span]{.y}',
    '~~weg~~',
    '_',
    '\\',
    '|',
    ':::',
    '漢字',
    '<ruby>漢字<rt>かんじ</rt></ruby>',
    '<ruby>漢<rt>かん</rt>',
  ],
);
const markdownLine = fc.array(markdownInline, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
const markdownBlock = fc
  .tuple(
    fc.constantFrom(
      '',
      '# ',
      '> ',
      '- ',
      '1. ',
      '    ',
      '| ',
      '::: {.a}\n',
      '% ',
      '---\n',
      '[^1]: ',
      '```\n',
      '+---+---+\n',
    ),
    markdownLine,
  )
  .map(([lead, line]) => lead + line);

type Make = (content: string) => Uint8Array;
const formats: [name: string, content: fc.Arbitrary<string>, make: Make, fileName: string][] = [
  [
    'DOCX',
    listOf(wordBlock),
    (body) =>
      smallDocx({
        body: `${body}<w:p>${run(words('Ende'))}</w:p>`,
        footnotes: note,
        relationships: [['rc', 'chart', 'charts/chart1.xml']],
        entries: { 'word/charts/chart1.xml': Buffer.from(chart) },
      }),
    'a.docx',
  ],
  ['ODT', listOf(odtBlock), odt, 'a.odt'],
  [
    'FB2',
    listOf(fb2Block),
    (body) =>
      smallFb2({
        body: `<section>${body}<p>Ende</p></section>`,
        notes:
          '<section id="n1"><p>Note<a l:href="#n2" type="note">2</a></p></section><section id="n2"><p>Zweite<a l:href="#n1" type="note">1</a></p></section>',
      }),
    'a.fb2',
  ],
  [
    'Markdown',
    fc.array(markdownBlock, { minLength: 1, maxLength: 8 }).map((blocks) => blocks.join('\n\n')),
    (text) => Buffer.from(`Anfang\n\n${text}\n`),
    'a.md',
  ],
];

for (const [name, content, make, fileName] of formats) {
  if (names.length > 0 && !names.includes(name)) continue;
  test(`${numRuns} random ${name} documents: nothing lost, nothing twice, read again as written`, () => {
    fc.assert(
      fc.property(content, (inner) => {
        const bytes = make(inner);
        const opened = openDocument(bytes, { fileName });
        assertCoverage(opened.document);
        const unchanged = opened.write(new Map(), options).bytes;
        if (name === 'Markdown')
          assert.equal(Buffer.from(unchanged).toString('utf8'), Buffer.from(bytes).toString('utf8'));
        else
          assert.deepEqual(
            textsOf(unchanged, fileName),
            blocksOf(opened.document).map((block) => block.text),
          );
        const translations = new Map(blocksOf(opened.document).map((block) => [block.id, mark(block.text)]));
        const written = opened.write(translations, options).bytes;
        const expected = [...translations.values()].flatMap(markedWords).toSorted();
        assert.deepEqual(markedWords(shown(written, fileName)).toSorted(), expected);
        if (name !== 'Markdown') assert.deepEqual(textsOf(written, fileName).flatMap(markedWords).toSorted(), expected);
        readDocument(opened.write(translations, { ...options, variant: 'bilingual' }).bytes, { fileName });
        const half = openDocument(bytes, { fileName, charLimit: Math.ceil(opened.document.totalCharacters / 2) });
        assertCoverage(half.document);
        half.write(new Map(), options);
      }),
      { numRuns, seed },
    );
  });
}

const textsOf = (bytes: Uint8Array, fileName: string) =>
  blocksOf(readDocument(bytes, { fileName }).document).map((block) => block.text);

/** All text of a file, by its bytes alone; the copy of a text box for older programs shows the same words again. */
function shown(bytes: Uint8Array, fileName: string): string {
  const parts = /docx|odt/.test(fileName)
    ? openArchive(bytes).entries.map(({ name }) => Buffer.from(openArchive(bytes).read(name) ?? []).toString('utf8'))
    : [Buffer.from(bytes).toString('utf8')];
  return parts.join('\n').replace(/<mc:Fallback>[\s\S]*?<\/mc:Fallback>/g, '');
}

function mark(text: string): string {
  return tokenizeInline(text)
    .map((token) => (token.kind === 'text' ? token.text.replace(/\p{L}+/gu, 'xq$&qx') : token.raw))
    .join('');
}

function markedWords(text: string): string[] {
  return stripInlineTags(text).match(/xq\p{L}+?qx/gu) ?? [];
}

function odt(body: string): Uint8Array {
  const names =
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"';
  const content = `<office:document-content ${names}><office:body><office:text>${body}<text:p>Ende</text:p></office:text></office:body></office:document-content>`;
  return createArchive([
    { name: 'mimetype', content: Buffer.from('application/vnd.oasis.opendocument.text'), stored: true },
    { name: 'content.xml', content: Buffer.from(content) },
  ]);
}
