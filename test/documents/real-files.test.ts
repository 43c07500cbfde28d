/** What documents of other programs hold that tidy samples do not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openArchive } from '../../src/documents/archive/archive.ts';
import { blocksOf, type WriteOptions } from '../../src/documents/document.ts';
import { readDocument, writeDocument } from './read-and-write.ts';
import { paragraph, smallDocx, smallFb2 } from './small-office.ts';

const textsOf = (bytes: Uint8Array, fileName = '') =>
  blocksOf(readDocument(bytes, { fileName }).document).map(({ text }) => text);

const english = { sourceLang: 'en', targetLang: 'de', variant: 'translated' } as const;

/** Every block becomes its text in capitals; a script without capitals shouts by a mark. */
function shout(bytes: Uint8Array, options: Partial<WriteOptions> & { fileName?: string } = {}): Uint8Array {
  const { fileName = '', ...rest } = options;
  const blocks = blocksOf(readDocument(bytes, { fileName }).document);
  const translations = new Map(
    blocks.map(({ id, text }) => [id, /[a-z]/i.test(text) ? text.toUpperCase() : `${text}!`]),
  );
  return writeDocument(bytes, { fileName }, translations, {
    sourceLang: 'en',
    targetLang: 'de',
    variant: 'translated',
    ...rest,
  }).bytes;
}

const partOf = (bytes: Uint8Array, name: string) => Buffer.from(openArchive(bytes).read(name) ?? []).toString('utf8');

test('DOCX: a file written with indentation, footnote and all, is read completely', () => {
  const run = (text: string, properties = '') => `
      <w:r>
        <w:rPr>
          ${properties}
        </w:rPr>
        <w:t xml:space="preserve">${text}</w:t>
      </w:r>`;
  const bytes = smallDocx({
    body: `
    <w:p>
      <w:pPr>
        <w:pStyle w:val="FirstParagraph" />
      </w:pPr>${run('The ferry left ')}${run('late', '<w:i />')}${run('.')}
      <w:r>
        <w:rPr>
          <w:rStyle w:val="FootnoteReference" />
        </w:rPr>
        <w:footnoteReference w:id="20" />
      </w:r>
    </w:p>`,
    footnotes: `
    <w:footnote w:id="20">
      <w:p>
        <w:r>
          <w:rPr>
            <w:rStyle w:val="FootnoteReference" />
          </w:rPr>
          <w:footnoteRef />
        </w:r>
        <w:r><w:t xml:space="preserve"> </w:t></w:r>
        <w:r><w:t>As always.</w:t></w:r>
      </w:p>
    </w:footnote>`,
  });
  assert.deepEqual(textsOf(bytes), ['The ferry left <1>late</1>.', 'As always.']);
  assert.deepEqual(textsOf(shout(bytes)), ['THE FERRY LEFT <1>LATE</1>.', 'AS ALWAYS.']);
});

test('DOCX: a note keeps the blank after its number, and text the blank beside a picture', () => {
  const bytes = smallDocx({
    body: `<w:p><w:r><w:t xml:space="preserve">See here </w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`,
    footnotes:
      '<w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space="preserve"> A note.</w:t></w:r></w:p></w:footnote>',
  });
  const written = shout(bytes);
  assert.match(partOf(written, 'word/footnotes.xml'), /<w:t xml:space="preserve"> <\/w:t>.*A NOTE\./);
  assert.match(partOf(written, 'word/document.xml'), /SEE HERE<\/w:t>.*<w:t xml:space="preserve"> <\/w:t>/);
});

test('Markdown: blanks beside code, pictures and notes at the edge of a paragraph stay', () => {
  const source =
    '`oar` begins here.\n\nIt ends with `oar`\n\n![boat](b.png) A boat.\n\n[^1]: `oar` is a noun.\n\nA note[^1].\n';
  const written = Buffer.from(shout(Buffer.from(source), { fileName: 'a.md' })).toString('utf8');
  assert.match(written, /^`oar` BEGINS HERE\.$/m);
  assert.match(written, /^IT ENDS WITH `oar`$/m);
  assert.match(written, /^!\[[^\]]*\]\(b\.png\) A BOAT\.$/m);
  assert.match(written, /^\[\^1\]: `oar` IS A NOUN\.$/m);
});

test('DOCX: a direction that is switched off is off', () => {
  const off = smallDocx({
    body: paragraph('The ferry left.', '<w:pPr><w:bidi w:val="0"/><w:jc w:val="start"/></w:pPr>'),
  });
  const arabic = partOf(shout(off, { targetLang: 'ar' }), 'word/document.xml');
  assert.match(arabic, /<w:pPr><w:bidi\/><w:jc/);
  // The style says right to left, so that the paragraph has to say the opposite.
  const styled = smallDocx({
    body: paragraph('המעבורת יצאה.', '<w:pPr><w:pStyle w:val="Rtl"/></w:pPr>'),
    styles: '<w:style w:type="paragraph" w:styleId="Rtl"><w:name w:val="Rtl"/><w:pPr><w:bidi/></w:pPr></w:style>',
  });
  const english = partOf(shout(styled, { sourceLang: 'he', targetLang: 'en' }), 'word/document.xml');
  assert.match(english, /<w:pStyle w:val="Rtl"\/><w:bidi w:val="0"\/>/);
});

test('DOCX: the main part is where the relationships say', () => {
  const bytes = smallDocx({
    body: paragraph('The ferry left.'),
    main: 'word/document2.xml',
    footnotes: '<w:footnote w:id="2"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote>',
  });
  assert.deepEqual(textsOf(bytes), ['The ferry left.', 'A note.']);
  assert.match(partOf(shout(bytes), 'word/document2.xml'), /THE FERRY LEFT\./);
});

test('DOCX: a small file with one well-packed picture is accepted', () => {
  const picture = new Uint8Array(6 * 1024 * 1024);
  const bytes = smallDocx({ body: paragraph('The ferry left.'), entries: { 'word/media/sky.bmp': picture } });
  assert.ok(bytes.length < 20_000);
  assert.deepEqual(textsOf(bytes), ['The ferry left.']);
});

test('DOCX: a text box and its copy for older programs show the same translation', () => {
  const box = (text: string) => `<w:txbxContent>${paragraph(text)}</w:txbxContent>`;
  const both = (text: string) =>
    `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><wps:txbx>${box(text)}</wps:txbx></mc:Choice><mc:Fallback><v:textbox>${box(text)}</v:textbox></mc:Fallback></mc:AlternateContent></w:r>`;
  for (const beside of ['', '<w:r><w:t>Beside the box.</w:t></w:r>']) {
    const bytes = smallDocx({ body: `<w:p>${beside}${both('In the box.')}</w:p>` });
    const written = partOf(shout(bytes), 'word/document.xml');
    assert.equal(written.split('IN THE BOX.').length, 3);
    assert.ok(!written.includes('In the box.'));
  }
  // Only the copy for older programs has words.
  const drawn = `<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"/><mc:Fallback><v:textbox>${box('Alone.')}</v:textbox></mc:Fallback></mc:AlternateContent></w:r></w:p>`;
  assert.match(partOf(shout(smallDocx({ body: drawn })), 'word/document.xml'), /ALONE\./);
});

test('DOCX: what a tracked change moved away or deleted is not left in the source language', () => {
  const mark = (name: string) => `<w:pPr><w:rPr><w:${name} w:id="1" w:author="E"/></w:rPr></w:pPr>`;
  const bytes = smallDocx({
    body: `<w:p>${mark('moveFrom')}<w:moveFromRangeStart w:id="7" w:name="m"/><w:moveFrom w:id="2" w:author="E"><w:r><w:t>It moved.</w:t></w:r></w:moveFrom></w:p><w:moveFromRangeEnd w:id="7"/>
<w:p><w:moveToRangeStart w:id="8" w:name="m"/><w:moveTo w:id="3" w:author="E"><w:r><w:t>It moved.</w:t></w:r></w:moveTo><w:moveToRangeEnd w:id="8"/></w:p>
<w:p>${mark('del')}<w:del w:id="4" w:author="E"><w:r><w:delText>Never mind.</w:delText></w:r></w:del></w:p>${paragraph('The end.')}`,
  });
  const written = partOf(shout(bytes), 'word/document.xml');
  assert.equal(written.split(/it moved/i).length, 2);
  assert.ok(!/Never mind|moveFrom/.test(written));
  assert.equal(written.split('<w:p>').length, 3);
});

test('FB2: notes that refer to each other, or to themselves, are each read once', () => {
  const anchor = (id: string) => `<a l:href="#${id}" type="note">[1]</a>`;
  const bytes = smallFb2({
    body: `<section><p>The ferry left${anchor('a')}.</p></section>`,
    notes: `<section id="a"><p>See the second${anchor('b')}, or this${anchor('a')}.</p></section><section id="b"><p>See the first${anchor('a')}.</p></section>`,
  });
  assert.deepEqual(
    textsOf(bytes).map((text) => text.replace(/<\d\/>/g, '')),
    ['The ferry left.', 'See the second, or this.', 'See the first.', 'Night Ferry'],
  );
  assert.deepEqual(
    textsOf(shout(bytes)),
    textsOf(bytes).map((text) => text.toUpperCase()),
  );
});

test('FB2: a chain of ten thousand notes is read', () => {
  const count = 10_000;
  const notes = Array.from(
    { length: count },
    (_, i) => `<section id="n${i}"><p>Note ${i}<a l:href="#n${i + 1}" type="note">1</a></p></section>`,
  );
  const bytes = smallFb2({
    body: '<section><p>Start<a l:href="#n0" type="note">1</a></p></section>',
    notes: notes.join(''),
  });
  assert.equal(textsOf(bytes).length, count + 2);
});

test('FB2: a note that only the annotation refers to counts once', () => {
  const bytes = smallFb2({
    body: '<section><p>The ferry left.</p></section>',
    annotation: '<p>A tale<a l:href="#a" type="note">1</a>.</p>',
    notes: '<section id="a"><p>Told at night.</p></section>',
  });
  const texts = textsOf(bytes).map((text) => text.replace(/<\d\/>/g, ''));
  assert.deepEqual(texts.toSorted(), ['A tale.', 'Night Ferry', 'The ferry left.', 'Told at night.']);
});

test('UTF-16 without a mark is read in any script', () => {
  const stories = {
    ru: 'Дождь не прекращался три дня. Мара положила письмо на стол.\nНикто не пришёл.\n',
    zh: '雨下了三天三夜。玛拉把信放在桌上，望着大海。\n没有人来。\n',
    el: 'Η βροχή δεν σταμάτησε για τρεις μέρες. Κανείς δεν ήρθε.\n',
    ja: '雨は三日間やまなかった。マラは手紙を机に置いて、海を見た。\n',
  };
  for (const [language, story] of Object.entries(stories)) {
    const little = Buffer.from(story, 'utf16le');
    assert.equal(textsOf(little, 'a.txt').join('\n'), story.trim(), language);
    assert.equal(textsOf(Buffer.from(little).swap16(), 'a.txt').join('\n'), story.trim(), language);
  }
});

test('Markdown: indented code ends where verse or a grid table of pandoc begins', () => {
  const source = '    let a\n\n| The tide\n\n+----+\n| Sea|\n+----+\n\n    let b\n\nEnd.\n';
  assert.deepEqual(textsOf(Buffer.from(source), 'a.md'), ['The tide', 'Sea', 'End.']);
});

test('Markdown: divs, attributes, title blocks, line blocks and grid tables of pandoc stay markup', () => {
  const source = [
    '% Night Ferry\n% Mara Ellery\n% 2024\n',
    '# One {#one .unnumbered}\n',
    '::: {.epigraph}\nThe ferry left.\n:::\n',
    '[Small words]{.smallcaps} and [a link](a.html){.x} here.\n',
    '| The tide goes out,\n| the tide comes in.\n',
    '+--------+---------+\n| Ship   | Day     |\n+========+=========+\n| Mary   | Monday, |\n|        | early   |\n+--------+---------+\n',
    '~~~\n::: not a div\n~~~\n',
  ].join('\n');
  const bytes = Buffer.from(source);
  assert.deepEqual(textsOf(bytes, 'a.md'), [
    'Night Ferry',
    'One',
    'The ferry left.',
    '<1>Small words</1> and <2>a link</2> here.',
    'The tide goes out,\nthe tide comes in.',
    'Ship',
    'Day',
    'Mary',
    'Monday, early',
  ]);
  const written = Buffer.from(shout(bytes, { fileName: 'a.md' })).toString('utf8');
  for (const line of [
    '% NIGHT FERRY\n% Mara Ellery\n% 2024\n',
    '# ONE {#one .unnumbered}\n',
    '::: {.epigraph}\nTHE FERRY LEFT.\n:::\n',
    '[SMALL WORDS]{.smallcaps} AND [A LINK](a.html){.x} HERE.\n',
    '| THE TIDE GOES OUT,\n| THE TIDE COMES IN.\n',
    '| MARY | MONDAY, EARLY |\n',
    '+======+===============+\n',
    '~~~\n::: not a div\n~~~\n',
  ])
    assert.ok(written.includes(line), `${line}\n${written}`);
  assert.equal(
    Buffer.from(writeDocument(bytes, { fileName: 'a.md' }, new Map(), english).bytes).toString('utf8'),
    source,
  );
});

test('Markdown: the title of the front matter is translated, with its quotes, and the language follows', () => {
  for (const [title, expected] of [
    ['Night Ferry', '"NIGHT FERRY"'],
    ['"Night: Ferry"', '"NIGHT: FERRY"'],
    ["'Night Ferry'", "'NIGHT FERRY'"],
  ]) {
    const bytes = Buffer.from(`---\ntitle: ${title}\nlang: en-GB\ntags: [a, b]\n---\n\nThe ferry left.\n`);
    const written = Buffer.from(shout(bytes, { fileName: 'a.md' })).toString('utf8');
    assert.equal(written, `---\ntitle: ${expected}\nlang: de\ntags: [a, b]\n---\n\nTHE FERRY LEFT.\n`);
  }
});

test('HTML: chapters are those of the structure, whatever the rank of their headings', () => {
  const titlesOf = (body: string) =>
    readDocument(Buffer.from(`<html><body>${body}</body></html>`)).document.sections.map(({ title }) => title);
  const chapter = (tag: string, name: string) => `<${tag}>${name}</${tag}><p>The ferry left.</p>`;
  assert.deepEqual(titlesOf(`<h1>Night Ferry</h1>${chapter('h3', 'One')}${chapter('h3', 'Two')}`), [
    'Night Ferry: One',
    'Two',
  ]);
  const marked = (name: string) => `<div class="chapter"><p class="t">${name}</p><p>The ferry left.</p></div>`;
  assert.equal(titlesOf(marked('One') + marked('Two')).length, 2);
});

test('HTML: what began at the right begins at the left after Hebrew', () => {
  const page =
    '<html dir="rtl"><head><style>p { text-align: right }</style></head><body><p align="right">המעבורת יצאה.</p><p style="text-align:right">איש לא בא.</p><p style="text-align:center">סוף.</p></body></html>';
  const written = Buffer.from(shout(Buffer.from(page), { sourceLang: 'he', targetLang: 'en' })).toString('utf8');
  assert.doesNotMatch(written, /right/);
  assert.match(written, /text-align:center/);
  assert.match(written, /<html dir="ltr"|dir="ltr"/);
});

const markdown = (source: string, options: Partial<WriteOptions> = {}) =>
  Buffer.from(shout(Buffer.from(source), { fileName: 'a.md', ...options })).toString('utf8');

test('Markdown: a link or a picture whose text names its target keeps the target when the text is translated', () => {
  const definitions =
    '[the ferry]: https://example.org/ferry\n[a boat]: boat.png "Boat"\n[quay]: <https://example.org/q>\n';
  const source = `See [the ferry], [the ferry][] or [the harbour][quay], and ![a boat].\n\n${definitions}`;
  const written = markdown(source);
  assert.ok(written.endsWith(definitions), written);
  assert.match(
    written,
    /^SEE \[THE FERRY\]\[the ferry\], \[THE FERRY\]\[the ferry\] OR \[THE HARBOUR\]\[quay\], AND !\[A BOAT\]\[a boat\]\.$/m,
  );
  const unchanged = writeDocument(Buffer.from(source), { fileName: 'a.md' }, new Map(), english);
  assert.equal(Buffer.from(unchanged.bytes).toString('utf8'), source);
  const preview = readDocument(Buffer.from(source), { fileName: 'a.md', charLimit: 20 }).document;
  assert.equal(preview.characters, 20);
});

test('Markdown: terms and definitions stay what they are, in one language and in two', () => {
  const source = 'Ferry\n:   A boat for people.\n    It crosses.\n\n:   A crossing.\n\nQuay\n\n~   Where it lands.\n';
  assert.equal(
    markdown(source),
    'FERRY\n:   A BOAT FOR PEOPLE. IT CROSSES.\n\n:   A CROSSING.\n\nQUAY\n\n~   WHERE IT LANDS.\n',
  );
  const both = markdown(source, { variant: 'bilingual' });
  assert.match(
    both,
    /^Ferry — FERRY\n: {3}A boat for people\.\n {4}It crosses\.\n\n {4}> A BOAT FOR PEOPLE\. IT CROSSES\.$/m,
  );
  assert.match(both, /^Quay — QUAY\n\n~ {3}Where it lands\.\n\n {4}> WHERE IT LANDS\.$/m);
});

test('Markdown: formulas between dollars stay as they are, and prices are no formulas', () => {
  const source =
    'The matrix $M \\times N$ and $A_{ij} * B_{jk}$ grow by $n$.\n\n$$\nx^2 + y_1\n$$\n\nIt cost $5, he paid $6; he owed $100 and she owed 50$.\n';
  const texts = textsOf(Buffer.from(source), 'a.md');
  assert.deepEqual(texts, [
    'The matrix <1/> and <2/> grow by <3/>.',
    'It cost $5, he paid $6; he owed $100 and she owed 50$.',
  ]);
  const written = markdown(source);
  assert.match(written, /^THE MATRIX \$M \\times N\$ AND \$A_\{ij\} \* B_\{jk\}\$ GROW BY \$n\$\.$/m);
  assert.ok(written.includes('$$\nx^2 + y_1\n$$'));
  assert.match(written, /\$100 AND SHE OWED 50\$/);
});
