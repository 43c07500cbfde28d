/**
 * A small EPUB of ours with what novels are made of: chapters, speech, emphasis, notes, a contents page. Processes that wait for a book read it, so
 * that the code for the first partner's is compiled by then. It says nothing; only its marks and its lengths matter.
 */
import { createArchive } from './archive/archive-writer.ts';

/** Sentences and their translations into German. */
const sentences: readonly (readonly [english: string, german: string])[] = [
  [
    'The lamp on the quay was out, and nobody had come to light it.',
    'Die Lampe am Kai war aus, und niemand war gekommen, um sie anzuzünden.',
  ],
  [
    'She counted the boats twice and found one fewer each time.',
    'Sie zählte die Boote zweimal und kam jedes Mal auf eines weniger.',
  ],
  [
    '“You are late,” said the ferryman, without turning his head.',
    '»Du kommst spät«, sagte der Fährmann, ohne den Kopf zu wenden.',
  ],
  [
    '“I am,” she said, “and I have nothing to pay you with.”',
    '»Ja«, sagte sie, »und ich habe nichts, womit ich bezahlen könnte.«',
  ],
  [
    'The river had risen in the night; it carried branches, straw and half of a gate.',
    'Der Fluss war in der Nacht gestiegen; er führte Äste, Stroh und ein halbes Tor mit sich.',
  ],
  [
    'Somewhere behind the mill a dog barked and was told to be quiet.',
    'Irgendwo hinter der Mühle bellte ein Hund und wurde zur Ruhe gerufen.',
  ],
  [
    'He thought of the letter that he had not answered — it still lay on the table.',
    'Er dachte an den Brief, den er nicht beantwortet hatte — er lag noch auf dem Tisch.',
  ],
  [
    'What could be written in it that everybody in the village did not know already?',
    'Was konnte darin stehen, das nicht schon jeder im Dorf wusste?',
  ],
  [
    'In the third year of the drought, 1847, the well had given water for eleven days only.',
    'Im dritten Jahr der Dürre, 1847, hatte der Brunnen nur elf Tage lang Wasser gegeben.',
  ],
  ['Nobody laughed.', 'Niemand lachte.'],
  [
    'It was the kind of morning on which even the bells sounded tired, and the whole street smelled of wet wool and bread.',
    'Es war ein Morgen, an dem selbst die Glocken müde klangen, und die ganze Straße roch nach nasser Wolle und Brot.',
  ],
  [
    '“Then sit down,” he answered after a while, “and mind the rope.”',
    '»Dann setz dich«, antwortete er nach einer Weile, »und gib auf das Seil acht.«',
  ],
];
const headings: readonly (readonly [string, string])[] = [
  ['The Ferry', 'Die Fähre'],
  ['What the River Brought', 'Was der Fluss brachte'],
  ['A Letter without an Answer', 'Ein Brief ohne Antwort'],
];

const paragraphsPerChapter = 24;

/** The text in German, with its tags. */
export function sampleTranslation(text: string): string {
  return [...headings, ...sentences].reduce((sum, [english, german]) => sum.replaceAll(english, german), text);
}

export function sampleEpub(): Uint8Array {
  const pages = headings.map(([heading], i) => ({
    name: `text/${i + 1}.xhtml`,
    title: heading,
    body: chapter(heading, i),
  }));
  const manifest = pages.map(({ name }, i) => `<item id="c${i}" href="${name}" media-type="application/xhtml+xml"/>`);
  const spine = pages.map((_, i) => `<itemref idref="c${i}"/>`);
  const contents = pages.map(({ name, title }) => `<li><a href="${name}">${title}</a></li>`);
  const opf = `<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">sample</dc:identifier><dc:title>The Ferry</dc:title><dc:language>en</dc:language></metadata>
<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="css" href="book.css" media-type="text/css"/>${manifest.join('')}</manifest><spine>${spine.join('')}</spine></package>`;
  const container = `<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`;
  const nav = page(
    'Contents',
    `<nav xmlns:epub="http://www.idpf.org/2007/ops" epub:type="toc"><ol>${contents.join('')}</ol></nav>`,
  );
  const files: [name: string, text: string][] = [
    ['META-INF/container.xml', container],
    ['book.opf', opf],
    ['nav.xhtml', nav],
    ['book.css', 'p.first { text-indent: 0 } .note { font-size: small }'],
    ...pages.map(({ name, title, body }): [string, string] => [name, page(title, body)]),
  ];
  return createArchive([
    { name: 'mimetype', content: Buffer.from('application/epub+zip'), stored: true },
    ...files.map(([name, text]) => ({ name, content: Buffer.from(text) })),
  ]);
}

function page(title: string, body: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en" lang="en">
<head><title>${title}</title><link rel="stylesheet" type="text/css" href="../book.css"/></head>
<body>
${body}
</body>
</html>
`;
}

/** The sentences in another order in every chapter, so that no paragraph stands in two of them. */
function chapter(heading: string, number: number): string {
  const at = (place: number): string => sentences[place % sentences.length]?.[0] ?? '';
  const paragraphs = Array.from({ length: paragraphsPerChapter }, (_, i) => {
    const own = Array.from({ length: 1 + (i % 4) }, (_, j) => at(i * (number + 2) + j * (number * 2 + 1)));
    if (i % 5 === 1) own[0] = `<em>${own[0]}</em>`;
    if (i % 7 === 2) own[0] = `<span class="speech"><i>${own[0]}</i></span>`;
    if (i % 9 === 3) own.push('<a href="#note" id="back"><sup>1</sup></a>');
    const text = own.join(i % 6 === 4 ? '<br/>\n' : ' ');
    return i % 11 === 5
      ? `<blockquote><p>${text}</p></blockquote>`
      : `<p${i === 0 ? ' class="first"' : ''}>${text}</p>`;
  });
  return `<section id="c${number}">\n<h2>${heading}</h2>\n${paragraphs.join('\n')}\n<hr/>\n<p class="note" id="note">&#8212; &amp; 1.</p>\n</section>`;
}
