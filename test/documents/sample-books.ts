/** Small books with every feature a reader and a writer must keep. All texts are written for these tests. */
import { createArchive, type NewEntry } from '../../src/documents/archive/archive-writer.ts';

const text = (content: string) => Buffer.from(content, 'utf8');

/** One transparent pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const container = `<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
  <rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>`;

const css = `p { text-indent: 1em; margin: 0 }
.scene { text-align: center }
@font-face { font-family: "None"; src: url("none.woff") }
`;

function pack(parts: Record<string, string | Uint8Array>): Uint8Array {
  const entries: NewEntry[] = [{ name: 'mimetype', content: text('application/epub+zip'), stored: true }];
  entries.push({ name: 'META-INF/container.xml', content: text(container) });
  for (const [name, content] of Object.entries(parts)) {
    entries.push({ name: `OEBPS/${name}`, content: typeof content === 'string' ? text(content) : content });
  }
  return createArchive(entries);
}

function page3(title: string, body: string, lang = 'en', head = ''): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="${lang}" xml:lang="${lang}">
<head>
  <title>${title}</title>
  <link rel="stylesheet" type="text/css" href="style.css"/>${head}
</head>
<body>
${body}
</body>
</html>
`;
}

/** EPUB 3 in English: nested inline markup, footnotes, verse, tables, lists, pictures, scene breaks, nav and NCX. */
export function sampleEpub3(): Uint8Array {
  return pack({
    'book.opf': `<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="uid" xml:lang="en">
  <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:identifier id="uid">urn:uuid:5e0a4a64-6d3e-4a3e-9d54-0d6c1f2f7a01</dc:identifier>
    <dc:title id="t1">The Lamp on the Quay</dc:title>
    <dc:creator>Mara Ellery</dc:creator>
    <dc:language>en</dc:language>
    <dc:description>A harbour town keeps one lamp burning.</dc:description>
    <meta property="dcterms:modified">2024-01-01T00:00:00Z</meta>
    <meta name="cover" content="pic"/>
  </metadata>
  <manifest>
    <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
    <item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
    <item id="css" href="style.css" media-type="text/css"/>
    <item id="pic" href="pic.png" media-type="image/png" properties="cover-image"/>
    <item id="late" href="late.png" media-type="image/png"/>
    <item id="cover" href="cover.xhtml" media-type="application/xhtml+xml"/>
    <item id="c1" href="one.xhtml" media-type="application/xhtml+xml"/>
    <item id="c2" href="two%20b.xhtml" media-type="application/xhtml+xml"/>
    <item id="notes" href="notes.xhtml" media-type="application/xhtml+xml"/>
  </manifest>
  <spine toc="ncx">
    <itemref idref="cover"/>
    <itemref idref="c1"/>
    <itemref idref="c2"/>
    <itemref idref="notes" linear="no"/>
  </spine>
  <guide>
    <reference type="cover" title="Cover" href="cover.xhtml"/>
    <reference type="notes" title="Notes" href="notes.xhtml"/>
  </guide>
</package>
`,
    'nav.xhtml': page3(
      'Contents',
      `<nav epub:type="toc" id="toc"><h1>Contents</h1>
<ol>
  <li><a href="one.xhtml">I. The Harbour</a>
    <ol><li><a href="one.xhtml#scene2">A second evening</a></li></ol></li>
  <li><a href="two%20b.xhtml">II. The <em>Second</em> Lamp</a></li>
  <li><a href="notes.xhtml">Notes</a></li>
</ol></nav>
<nav epub:type="landmarks" hidden="hidden"><ol><li><a epub:type="bodymatter" href="one.xhtml">Start</a></li></ol></nav>`,
    ),
    'toc.ncx': ncx('The Lamp on the Quay', [
      ['one.xhtml', 'I. The Harbour'],
      ['two%20b.xhtml', 'II. The Second Lamp'],
      ['notes.xhtml', 'Notes'],
    ]),
    'style.css': css.replace(/@font-face.*\n/, ''),
    'pic.png': pixel,
    'late.png': pixel,
    'cover.xhtml': page3('Cover', '<div><img src="pic.png" alt="A lamp"/></div>'),
    'one.xhtml': page3(
      'I. The Harbour',
      `<section epub:type="chapter">
<h1 id="h1">I. The Harbour</h1>
<p class="first"><span id="page1" epub:type="pagebreak" title="1"></span>When the <i>Marigold</i> came in, nobody
   was <b>on the <i>quay</i></b> but the lamplighter.<a epub:type="noteref" id="r1" href="notes.xhtml#n1">1</a> He waited &amp; counted.</p>
<p><span class="calibre"><span class="inner">“Seven,” he said.</span></span></p>
<p>The <span lang="fr" xml:lang="fr">capitaine</span> pressed &lt;1&gt; and then &lt;b&gt; on the board.</p>
<p class="scene">* * *</p>
<hr/>
<p id="scene2">On the second evening the lamp was <em>out</em>, see <a href="two%20b.xhtml#back">the other lamp</a> <img src="pic.png" alt="lamp"/> there.</p>
<blockquote class="verse"><p>The tide goes out,<br/>
the tide comes in,<br/>and none is <i>thin</i>.</p></blockquote>
<div>Loose words in a box <p>and a paragraph inside</p> and a tail.</div>
<ul><li>rope</li><li>oil <ul><li>lamp oil</li></ul></li></ul>
<table><caption>Ships of the week</caption><tr><th>Ship</th><th>Day</th></tr><tr><td>Marigold</td><td>Monday</td></tr><tr><td>12</td><td>—</td></tr></table>
<figure><img src="pic.png" alt="chart"/><figcaption>A chart of the bay.</figcaption></figure>
<pre>  Dear Anna,
    come soon.</pre>
<pre><code>lamp = 1;</code></pre>
</section>`,
    ),
    'two b.xhtml': page3(
      'II. The Second Lamp',
      `<h1>II. The <em>Second</em> Lamp</h1>
<p id="back">It hung over the bakery,<sup><a href="#fn2" id="r2">*</a></sup> bright as ever.</p>
<p><img src="late.png" alt=""/></p>
<p>Anna <!-- not yet --> laughed: 👩‍👩‍👧 was the sign.</p>
<p>42</p>
<aside epub:type="footnote" id="fn2"><p><a href="#r2">*</a> The bakery burned down <a href="one.xhtml#scene2">later</a>.</p></aside>`,
    ),
    'notes.xhtml': page3(
      'Notes',
      `<h1>Notes</h1>
<aside epub:type="footnote" id="n1"><p><a href="one.xhtml#r1">1</a>. He was also the postman.</p></aside>`,
    ),
  });
}

/** EPUB 2 in French: XHTML 1.1, NCX only, obfuscated font, text in many spans, named references. */
export function sampleEpub2(): Uint8Array {
  const page = (title: string, body: string) => `<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="fr">
<head><title>${title}</title><link rel="stylesheet" type="text/css" href="style.css"/></head>
<body>
${body}
</body>
</html>
`;
  return pack({
    'book.opf': `<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="2.0" unique-identifier="uid">
  <metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">
    <dc:identifier id="uid" opf:scheme="UUID">urn:uuid:0f9a4a64-6d3e-4a3e-9d54-0d6c1f2f7a02</dc:identifier>
    <dc:title>Le Phare</dc:title>
    <dc:creator opf:role="aut">Odile Verne-Martin</dc:creator>
    <dc:language>fr</dc:language>
  </metadata>
  <manifest>
    <item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
    <item id="css" href="style.css" media-type="text/css"/>
    <item id="pic" href="pic.png" media-type="image/png"/>
    <item id="c1" href="un.html" media-type="application/xhtml+xml"/>
    <item id="c2" href="deux.html" media-type="application/xhtml+xml"/>
  </manifest>
  <spine toc="ncx"><itemref idref="c1"/><itemref idref="c2"/></spine>
  <guide><reference type="text" title="Texte" href="deux.html#fin"/></guide>
</package>
`,
    'toc.ncx': ncx('Le Phare', [
      ['un.html', 'Chapitre premier'],
      ['deux.html', 'Chapitre deux'],
    ]),
    'style.css': css.replace(/@font-face.*\n/, ''),
    'pic.png': pixel,
    'un.html': page(
      'Le Phare',
      `<h2><a id="c1"></a>Chapitre premier</h2>
<p><span class="c2">La lampe </span><span class="c2">s&#8217;allumait</span><span class="c2"> &agrave; huit&nbsp;heures.</span></p>
<p>Il lut&nbsp;: <i>&#171;&nbsp;Rien ne bouge&nbsp;&#187;</i><sup><a href="deux.html#fin" id="a1">1</a></sup>.</p>
<p><i>La mer</i> <b>montait</b> <img src="pic.png" alt=""/> toujours.</p>
<p>⁂</p>
<p>Personne ne vint.</p>`,
    ),
    'deux.html': page(
      'Chapitre deux',
      `<h2>Chapitre deux</h2>
<p>Le gardien descendit <a href="un.html#c1">l&#8217;escalier</a>.</p>
<p id="fin"><a href="un.html#a1">1</a>. Note du gardien.</p>`,
    ),
  });
}

/** Vertical Japanese EPUB 3 with ruby, pages from right to left, indented with ideographic spaces. */
export function sampleVerticalEpub(): Uint8Array {
  return pack({
    'book.opf': `<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="uid">
  <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:identifier id="uid">urn:uuid:7c0a4a64-6d3e-4a3e-9d54-0d6c1f2f7a03</dc:identifier>
    <dc:title>灯台の夜</dc:title>
    <dc:creator>海野しおり</dc:creator>
    <dc:language>ja</dc:language>
    <meta property="dcterms:modified">2024-01-01T00:00:00Z</meta>
  </metadata>
  <manifest>
    <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
    <item id="css" href="style.css" media-type="text/css"/>
    <item id="c1" href="one.xhtml" media-type="application/xhtml+xml"/>
  </manifest>
  <spine page-progression-direction="rtl"><itemref idref="c1"/><itemref idref="nav"/></spine>
</package>
`,
    'nav.xhtml': page3(
      '目次',
      '<nav epub:type="toc"><h2>目次</h2><ol><li><a href="one.xhtml">第一章　港</a></li></ol></nav>',
      'ja',
    ),
    'style.css': 'html { -epub-writing-mode: vertical-rl; writing-mode: vertical-rl }\n',
    'one.xhtml': page3(
      '第一章　港',
      `<h2>第一章　港</h2>
<p>　<ruby>灯台<rp>(</rp><rt>とうだい</rt><rp>)</rp></ruby>の<ruby><rb>光</rb><rt>ひかり</rt></ruby>が海を照らす。</p>
<p>　𠮷田は<em class="dots">静か</em>に待っていた。</p>
<p>◆</p>
<p>　「……」</p>
<p>　夜が明けた。</p>`,
      'ja',
    ),
  });
}

/** Tag soup: no closing tags, crossing markup, bare text, line breaks instead of paragraphs. */
export function sampleHtml(): Uint8Array {
  return text(`<!DOCTYPE html>
<html lang="es">
<head><meta charset="utf-8"><title>La lámpara</title><style>p { margin: 0 }</style></head>
<body>
Texto suelto al principio.
<h1 id="uno">La lámpara</h1>
<p>Primera línea con <b>negrita e <i>itálica</i></b>.
<p>Segunda, ver <a href="#nota">la nota</a><sup><a href="#nota">1</a></sup> al final.
<hr>
Una línea<br><br>Otra línea &amp; más<br><br>
<div>Caja <span style="display:none">oculto</span> abierta<p>dentro</p>cola</div>
<h2>Capítulo dos</h2>
<p>Versos del mar,<br>versos del <em>sur</em>.</p>
<p id="nota">* * *</p>
<script>var x = "no";</script>
<p>Fin.</p>
</body>
</html>
`);
}

function ncx(title: string, points: [string, string][]): string {
  const entries = points.map(
    ([src, label], i) =>
      `    <navPoint id="p${i + 1}" playOrder="${i + 1}"><navLabel><text>${label}</text></navLabel><content src="${src}"/></navPoint>`,
  );
  const ids: Record<string, string> = {
    'The Lamp on the Quay': '5e0a4a64-6d3e-4a3e-9d54-0d6c1f2f7a01',
    'Le Phare': '0f9a4a64-6d3e-4a3e-9d54-0d6c1f2f7a02',
  };
  return `<?xml version="1.0" encoding="utf-8"?>
<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1">
  <head><meta name="dtb:uid" content="urn:uuid:${ids[title]}"/></head>
  <docTitle><text>${title}</text></docTitle>
  <navMap>
${entries.join('\n')}
  </navMap>
</ncx>
`;
}
