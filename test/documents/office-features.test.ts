/** What Word and FB2 documents hold beside paragraphs: fields to fill in, tracked changes, charts, diagrams, bare text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openArchive } from '../../src/documents/archive/archive.ts';
import { blocksOf, type WriteOptions } from '../../src/documents/document.ts';
import { openDocument } from '../../src/documents/formats.ts';
import { smallEpub } from './small-epub.ts';
import { paragraph, smallDocx, smallFb2, smallOdt } from './small-office.ts';

function open(bytes: Uint8Array, charLimit?: number) {
  const opened = openDocument(bytes, charLimit === undefined ? {} : { charLimit });
  const blocks = blocksOf(opened.document);
  const shouted = new Map(blocks.map(({ id, text }) => [id, text.toUpperCase()]));
  const write = (variant: WriteOptions['variant'] = 'translated') =>
    opened.write(shouted, { sourceLang: 'en', targetLang: 'de', variant }).bytes;
  return { texts: blocks.map(({ text }) => text), write, warnings: opened.warnings, document: opened.document };
}

const partOf = (bytes: Uint8Array, name: string) => Buffer.from(openArchive(bytes).read(name) ?? []).toString('utf8');
const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;

test('a field to fill in stays one, with its text translated; a check box stays as it is', () => {
  const field = (id: number, properties: string, text: string) =>
    `<w:sdt><w:sdtPr><w:tag w:val="t${id}"/><w:id w:val="${id}"/>${properties}</w:sdtPr><w:sdtContent>${text}</w:sdtContent></w:sdt>`;
  const binding = '<w:dataBinding w:xpath="/a" w:storeItemID="{1}"/>';
  const box = field(2, '<w14:checkbox xmlns:w14="urn:w14"/>', run('☐'));
  const bytes = smallDocx({
    body: `<w:p>${run('Born in ')}${field(1, binding, run('a town'))}${run(', and married: ')}${box}</w:p>${field(3, binding, paragraph('A whole paragraph.'))}`,
  });
  const { texts, write } = open(bytes);
  assert.deepEqual(texts, ['Born in <1>a town</1>, and married:', 'A whole paragraph.']);
  const written = partOf(write(), 'word/document.xml');
  assert.match(
    written,
    /<w:tag w:val="t1"\/><w:id w:val="1"\/><\/w:sdtPr><w:sdtContent><w:r>.*?A TOWN<\/w:t><\/w:r><\/w:sdtContent><\/w:sdt>/,
  );
  assert.ok(written.includes(box));
  assert.match(written, /<w:id w:val="3"\/><\/w:sdtPr><w:sdtContent><w:p>.*A WHOLE PARAGRAPH/);
  const both = partOf(write('bilingual'), 'word/document.xml');
  assert.equal(both.split('<w:tag w:val="t1"/>').length, 3);
  assert.equal(both.split('<w:id w:val="1"/>').length, 2, 'an id stands once');
});

test('tracked changes are accepted, and a warning says how many', () => {
  const change = (name: string, text: string, tag = 't') =>
    `<w:${name} w:id="1" w:author="E"><w:r><w:${tag}>${text}</w:${tag}></w:r></w:${name}>`;
  const body = `<w:p>${run('The boat ')}${change('del', 'sank', 'delText')}${change('ins', 'sailed')}.</w:p><w:p>${change('moveTo', 'Far away.')}</w:p>`;
  const { texts, warnings } = open(smallDocx({ body: body.replace('.</w:p>', `${run('.')}</w:p>`) }));
  assert.deepEqual(texts, ['The boat sailed.', 'Far away.']);
  assert.deepEqual(
    warnings.map(({ code, message }) => [code, message.slice(0, 35)]),
    [['TRACKED_CHANGES_ACCEPTED', '3 tracked changes were accepted: wh']],
  );
  assert.deepEqual(open(smallDocx({ body: paragraph('Nothing changed.') })).warnings, []);
});

test('tracked changes of an ODT are accepted as well, also inside a note, and nothing of them is left in a translation', () => {
  const region = (id: string, inner: string) =>
    `<text:changed-region text:id="${id}"><text:${inner}</text:changed-region>`;
  const changes = `<text:tracked-changes>${region('c1', 'insertion/>')}${region('c2', 'deletion><text:p>complex</text:p></text:deletion>')}</text:tracked-changes>`;
  const note =
    '<text:note text:note-class="footnote"><text:note-body><text:p>A <text:change text:change-id="c2"/>note.</text:p></text:note-body></text:note>';
  const bytes = smallOdt(
    `${changes}<text:p>A <text:change-start text:change-id="c1"/>hard<text:change-end text:change-id="c1"/><text:change text:change-id="c2"/> text${note}, still.</text:p>`,
  );
  const { texts, write, warnings } = open(bytes);
  assert.deepEqual(texts, ['A hard text<1/>, still.', 'A note.']);
  assert.deepEqual(
    warnings.map(({ message }) => message.slice(0, 35)),
    ['2 tracked changes were accepted: wh'],
  );
  for (const variant of ['translated', 'bilingual'] as const) {
    const written = partOf(write(variant), 'content.xml');
    assert.ok(!/complex|text:change|tracked-changes/.test(written), written);
    assert.ok(written.includes('A HARD TEXT') && written.includes('A NOTE.'), written);
  }
});

const officeTypes = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const drawing = 'http://schemas.openxmlformats.org/drawingml/2006';

test('the words of a chart are read where it stands, and written into it', () => {
  const title =
    '<c:title><c:tx><c:rich><a:p><a:pPr/><a:r><a:rPr lang="en-GB" b="1"/><a:t>Lost </a:t></a:r><a:r><a:rPr b="1" dirty="0"/><a:t>ships</a:t></a:r></a:p></c:rich></c:tx></c:title>';
  const names = '<c:strCache><c:pt idx="0"><c:v>Winter</c:v></c:pt><c:pt idx="1"><c:v>1900</c:v></c:pt></c:strCache>';
  const numbers = '<c:numCache><c:formatCode>General</c:formatCode><c:pt idx="0"><c:v>12</c:v></c:pt></c:numCache>';
  const chart = `<c:chartSpace xmlns:c="${drawing}/chart" xmlns:a="${drawing}/main"><c:chart>${title}<c:cat><c:strRef><c:f>Sheet1!$A$2</c:f>${names}</c:strRef></c:cat><c:val><c:numRef>${numbers}</c:numRef></c:val></c:chart></c:chartSpace>`;
  const picture = (id: string) =>
    `<w:r><w:drawing><c:chart xmlns:c="${drawing}/chart" r:id="${id}"/></w:drawing></w:r>`;
  const bytes = smallDocx({
    body: `<w:p>${run('Look:')}${picture('rc')}</w:p>${paragraph('After it.')}`,
    relationships: [['rc', 'chart', 'charts/chart1.xml']],
    entries: { 'word/charts/chart1.xml': Buffer.from(chart) },
  });
  const { texts, write } = open(bytes);
  assert.deepEqual(texts, ['Look:', 'Lost ships', 'Winter', 'After it.']);
  const written = partOf(write(), 'word/charts/chart1.xml');
  assert.match(written, /<a:p><a:pPr\/><a:r><a:rPr lang="de" b="1"\/><a:t>LOST SHIPS<\/a:t><\/a:r><\/a:p>/);
  assert.ok(written.includes('<c:v>WINTER</c:v>') && written.includes('<c:v>12</c:v>'));
  assert.deepEqual(open(write()).texts, ['LOOK:', 'LOST SHIPS', 'WINTER', 'AFTER IT.']);
  assert.match(partOf(write('bilingual'), 'word/charts/chart1.xml'), /<c:v>Winter WINTER<\/c:v>/);
});

test('a diagram is translated in what it says and in how it was drawn, and charged once', () => {
  const point = (text: string) =>
    `<dgm:pt><dgm:t><a:p><a:r><a:rPr lang="en"/><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;
  const shape = (text: string) =>
    `<dsp:sp><dsp:txBody><a:p><a:r><a:rPr lang="en" sz="5300"/><a:t>${text}</a:t></a:r></a:p></dsp:txBody></dsp:sp>`;
  const xmlns = `xmlns:a="${drawing}/main"`;
  const bytes = smallDocx({
    body: `<w:p><w:r><w:drawing><dgm:relIds xmlns:dgm="${drawing}/diagram" r:dm="rd"/></w:drawing></w:r></w:p>`,
    relationships: [
      ['rd', 'diagramData', 'diagrams/data1.xml'],
      ['rw', 'diagramDrawing', 'diagrams/drawing1.xml'],
    ],
    entries: {
      'word/diagrams/data1.xml': Buffer.from(
        `<dgm:dataModel xmlns:dgm="${drawing}/diagram" ${xmlns}>${point('Captain')}${point('Mate')}</dgm:dataModel>`,
      ),
      'word/diagrams/drawing1.xml': Buffer.from(
        `<dsp:drawing xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram" ${xmlns}>${shape('Captain')}${shape('Mate')}</dsp:drawing>`,
      ),
    },
  });
  const { texts, write, document } = open(bytes);
  assert.deepEqual(texts, ['Captain', 'Mate']);
  assert.equal(document.characters, 11);
  for (const name of ['data1', 'drawing1']) {
    const written = partOf(write(), `word/diagrams/${name}.xml`);
    assert.match(written, /CAPTAIN.*MATE/);
    assert.ok(!/Captain|Mate/.test(written), written);
  }
  assert.match(partOf(write(), 'word/diagrams/drawing1.xml'), /<a:rPr lang="de" sz="5300"\/><a:t>MATE/);
});

test('charts of headers and footnotes are read as well, each by the ids of its own part', () => {
  const chart = (title: string) =>
    Buffer.from(
      `<c:chartSpace xmlns:c="${drawing}/chart" xmlns:a="${drawing}/main"><c:title><a:p><a:r><a:t>${title}</a:t></a:r></a:p></c:title></c:chartSpace>`,
    );
  const names = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${officeTypes}"`;
  const picture = `<w:r><w:drawing><c:chart xmlns:c="${drawing}/chart" r:id="rc"/></w:drawing></w:r>`;
  const related = (target: string) =>
    Buffer.from(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rc" Type="${officeTypes}/chart" Target="charts/${target}.xml"/></Relationships>`,
    );
  const bytes = smallDocx({
    body: `<w:p>${run('Look:')}${picture}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>${paragraph('After it.')}`,
    footnotes: `<w:footnote w:id="2"><w:p>${run('A note.')}${picture}</w:p></w:footnote>`,
    relationships: [
      ['rc', 'chart', 'charts/chart1.xml'],
      ['rh', 'header', 'header1.xml'],
    ],
    entries: {
      'word/header1.xml': Buffer.from(`<w:hdr ${names}><w:p>${run('A header')}${picture}</w:p></w:hdr>`),
      'word/_rels/header1.xml.rels': related('chart2'),
      'word/_rels/footnotes.xml.rels': related('chart3'),
      'word/charts/chart1.xml': chart('Body chart'),
      'word/charts/chart2.xml': chart('Header chart'),
      'word/charts/chart3.xml': chart('Note chart'),
    },
  });
  const { texts, write } = open(bytes);
  const expected = ['Look:', 'Body chart', 'A note.', 'Note chart', 'After it.', 'A header', 'Header chart'];
  assert.deepEqual(
    texts.map((text) => text.replaceAll(/<[^>]*>/g, '')),
    expected,
  );
  assert.match(partOf(write(), 'word/charts/chart2.xml'), /<a:t>HEADER CHART<\/a:t>/);
  assert.match(partOf(write(), 'word/charts/chart3.xml'), /<a:t>NOTE CHART<\/a:t>/);
});

test('the newer kinds of charts are read: their title, which they hold twice, is charged once', () => {
  const cx = 'http://schemas.microsoft.com/office/drawing/2014/chartex';
  const title =
    '<cx:title><cx:tx><cx:txData><cx:v>Lost ships</cx:v></cx:txData></cx:tx><cx:txPr><a:p><a:r><a:rPr sz="1400"/><a:t>Lost ships</a:t></a:r></a:p></cx:txPr></cx:title>';
  const data =
    '<cx:strDim type="cat"><cx:f>Sheet1!$A$2</cx:f><cx:lvl ptCount="2"><cx:pt idx="0">Winter</cx:pt><cx:pt idx="1">1900</cx:pt></cx:lvl></cx:strDim><cx:numDim type="val"><cx:lvl><cx:pt idx="0">12</cx:pt></cx:lvl></cx:numDim>';
  const picture = `<w:r><mc:AlternateContent><mc:Choice Requires="cx1"><w:drawing><cx:chart xmlns:cx="${cx}" r:id="rc"/></w:drawing></mc:Choice><mc:Fallback/></mc:AlternateContent></w:r>`;
  const bytes = smallDocx({
    body: `<w:p>${run('Look:')}${picture}</w:p>${paragraph('After it.')}`,
    relationships: [['rc', 'chartEx', 'charts/chartEx1.xml']],
    entries: {
      'word/charts/chartEx1.xml': Buffer.from(
        `<cx:chartSpace xmlns:cx="${cx}" xmlns:a="${drawing}/main"><cx:chartData>${data}</cx:chartData><cx:chart>${title}</cx:chart></cx:chartSpace>`,
      ),
    },
  });
  const { texts, write } = open(bytes);
  assert.deepEqual(texts, ['Look:', 'Winter', 'Lost ships', 'After it.']);
  const written = partOf(write(), 'word/charts/chartEx1.xml');
  assert.match(written, /<cx:pt idx="0">WINTER<\/cx:pt><cx:pt idx="1">1900<\/cx:pt>/);
  assert.equal(written.split('LOST SHIPS').length, 3, written);
  assert.ok(!written.includes('Lost ships') && written.includes('<cx:f>Sheet1!$A$2</cx:f>'), written);
});

test('objects of other programs are left with a warning that counts them; formulas are not counted', () => {
  const object = (type: string) =>
    `<w:p><w:r><w:object><o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" Type="Embed" ProgID="${type}" r:id="r1"/></w:object></w:r></w:p>`;
  const docx = smallDocx({ body: paragraph('Text.') + object('Excel.Sheet.12') + object('Equation.3') });
  const left = (bytes: Uint8Array) =>
    open(bytes).warnings.map(({ code, message }) => `${code} ${message.slice(0, 18)}`);
  assert.deepEqual(left(docx), ['EMBEDDED_OBJECTS_LEFT 1 embedded object ']);
  const frame = (name: string) =>
    `<text:p><draw:frame xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"><draw:object xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="./${name}"/></draw:frame></text:p>`;
  const math = 'xmlns:math="http://www.w3.org/1998/Math/MathML"';
  const content = (inner: string) =>
    Buffer.from(`<office:document-content ${math}><office:body>${inner}</office:body></office:document-content>`);
  const odt = smallOdt(
    `<text:p>Text.</text:p>${['Object 1', 'Object 2', 'Object 3', 'Object 1'].map(frame).join('')}`,
    {
      entries: {
        'Object 1/content.xml': content('<chart:title>Lost ships</chart:title>'),
        'Object 2/content.xml': Buffer.from('<math xmlns="http://www.w3.org/1998/Math/MathML"/>'),
        'Object 3/content.xml': content('<table:table/>'),
      },
    },
  );
  assert.deepEqual(left(odt), ['EMBEDDED_OBJECTS_LEFT 2 embedded objects']);
});

test('FB2: text that stands in no paragraph is translated, in one language and in two, and cut by a limit', () => {
  const bytes = smallFb2({
    body: '<section><title>One</title>first<p>A paragraph.</p>And <emphasis>this</emphasis> too.<empty-line/><image l:href="#i"/><p>The last.</p></section>',
  });
  const { texts, write } = open(bytes);
  assert.deepEqual(texts, ['One', 'first', 'A paragraph.', 'And <1>this</1> too.', 'The last.', 'Night Ferry']);
  assert.match(
    Buffer.from(write()).toString(),
    /<title>ONE<\/title>FIRST<p>A PARAGRAPH.<\/p>AND <emphasis>THIS<\/emphasis> TOO.<empty-line\/>/,
  );
  assert.match(
    Buffer.from(write('bilingual')).toString(),
    /first <emphasis>FIRST<\/emphasis><p>A paragraph.<\/p>\s*<p><emphasis>A PARAGRAPH.<\/emphasis><\/p>/,
  );
  const cut = Buffer.from(open(bytes, 12).write()).toString();
  assert.ok(/FIRST<p>A PA<\/p>/.test(cut) && !/too|last/i.test(cut), cut);
});

test('italics are known by what a style says, and by the formatting of a whole paragraph', () => {
  const names =
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"';
  const italic = (name: string, family: string) =>
    `<style:style style:name="${name}" style:family="${family}"><style:text-properties fo:font-style="italic"/></style:style>`;
  const style = `<office:automatic-styles ${names}>${italic('T7', 'text')}${italic('P3', 'paragraph')}<style:style style:name="T8" style:family="text"/></office:automatic-styles>`;
  const span = (name: string, text: string) => `<text:span text:style-name="${name}">${text}</text:span>`;
  const odt = smallOdt(
    `<text:p>The ${span('T7', 'Aurora')} and ${span('T8', 'others')}.</text:p><text:p text:style-name="P3">A letter.</text:p>`,
    { style },
  );
  const whole = '<w:p><w:r><w:rPr><w:i/></w:rPr><w:t>A letter.</w:t></w:r></w:p>';
  const docx = smallDocx({ body: `${paragraph('The boat.')}${whole}` });
  const page =
    '<html><head><style>/* . */ p.letter, .thought { color: red; font-style: italic } .a .b { font-style: italic }</style></head><body><p>The <span class="x thought">boat</span> and <span class="b">others</span>.</p><p class="letter">A letter.</p></body></html>';
  const italics = (bytes: Uint8Array, fileName: string) =>
    blocksOf(openDocument(bytes, { fileName }).document).map((block) => block.italics);
  assert.deepEqual(italics(odt, 'a.odt'), [[1], [0]]);
  assert.deepEqual(italics(docx, 'a.docx'), [undefined, [0]]);
  assert.deepEqual(italics(Buffer.from(page), 'a.html'), [[1], [0]]);
  const epub = smallEpub({
    pages: { 'one.xhtml': '<p>The <span class="thought">boat</span>.</p><p>No italics.</p>' },
    entries: { 'book.css': Buffer.from('.thought { font-style: italic }') },
  });
  assert.deepEqual(italics(epub, 'a.epub').filter(Boolean), [[1]]);
});

test('chapters are found below the title of a volume and below parts, and parts are chapters where nothing is below them', () => {
  const titlesOf = (...levels: [level: number, title: string][]) => {
    const body = levels.map(
      ([level, title]) => `<text:h text:outline-level="${level}">${title}</text:h><text:p>Text of ${title}.</text:p>`,
    );
    return open(smallOdt(body.join(''))).document.sections.map(({ title }) => title);
  };
  assert.deepEqual(titlesOf([1, 'Volume 1'], [2, 'Part One'], [3, 'I'], [3, 'II']), [
    'Volume 1',
    'Part One',
    'I',
    'II',
  ]);
  const parts: [number, string][] = [
    [1, 'Part One'],
    [2, 'The Sea'],
    [2, 'The Land'],
    [1, 'Part Two'],
    [2, 'The Sky'],
  ];
  assert.deepEqual(titlesOf(...parts), ['Part One', 'The Sea', 'The Land', 'Part Two', 'The Sky']);
  assert.deepEqual(titlesOf([1, 'Part One'], [1, 'Part Two']), ['Part One', 'Part Two']);
  assert.deepEqual(titlesOf([1, 'The Sea'], [2, 'Waves'], [2, 'Wind'], [1, 'The Land']), ['The Sea', 'The Land']);
  assert.deepEqual(titlesOf([1, 'The Book'], [2, 'The Sea'], [3, 'Waves']), ['The Book', 'The Sea']);
});
