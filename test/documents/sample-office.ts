/** Word and OpenDocument samples, built part by part so that every construct they test can be seen. */
import { createArchive } from '../../src/documents/archive/archive-writer.ts';

const wordNames =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"';
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** The smallest picture: one white pixel. */
export const pixelPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=',
  'base64',
);

const picture =
  '<w:drawing><wp:inline><wp:extent cx="95250" cy="95250"/><wp:docPr id="1" name="Picture"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="0" name="p.png"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="rId10"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="95250" cy="95250"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing>';

export function sampleDocx(): Uint8Array {
  const body = `
<w:p><w:pPr><w:pStyle w:val="Titel"/></w:pPr><w:r><w:t>The Lighthouse Letters</w:t></w:r></w:p>
<w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:bookmarkStart w:id="0" w:name="_c1"/><w:r><w:t>Chapter One</w:t></w:r><w:bookmarkEnd w:id="0"/></w:p>
<w:p w:rsidR="00A1"><w:r w:rsidR="00B2"><w:t xml:space="preserve">The rain had not </w:t></w:r><w:proofErr w:type="spellStart"/><w:r><w:rPr><w:lang w:val="en-GB"/></w:rPr><w:t>stopped</w:t></w:r><w:r><w:t xml:space="preserve"> for </w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t>three</w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t xml:space="preserve"> days</w:t></w:r><w:r><w:t>, and nobody came.</w:t></w:r><w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteReference w:id="2"/></w:r></w:p>
<w:p><w:r><w:tab/><w:t>“He will </w:t></w:r><w:ins w:id="5" w:author="E"><w:r><w:t xml:space="preserve">surely </w:t></w:r></w:ins><w:del w:id="6" w:author="E"><w:r><w:delText>perhaps </w:delText></w:r></w:del><w:r><w:t>come back,” she </w:t></w:r><w:hyperlink r:id="rId9"><w:r><w:rPr><w:b/></w:rPr><w:t>said</w:t></w:r></w:hyperlink><w:r><w:t>.</w:t><w:br/><w:t>Then she </w:t></w:r><w:r><w:rPr><w:b/><w:i/></w:rPr><w:t>smiled</w:t></w:r><w:r><w:t>.</w:t></w:r></w:p>
<w:p><w:pPr><w:jc w:val="center"/></w:pPr><w:r><w:t>* * *</w:t></w:r></w:p>
<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>A lamp that was never lit</w:t></w:r></w:p>
<w:p><w:r>${picture}</w:r><w:r><w:t xml:space="preserve">The tower stood on page </w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> PAGE </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>7</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t xml:space="preserve"> of the </w:t></w:r><w:sdt><w:sdtPr><w:id w:val="77"/></w:sdtPr><w:sdtContent><w:r><w:t>atlas</w:t></w:r></w:sdtContent></w:sdt><w:r><w:t>, a &lt;1&gt; mark &amp; more.</w:t></w:r></w:p>
<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="2000"/></w:tblGrid><w:tr><w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr><w:p><w:r><w:t>Monday</w:t></w:r></w:p></w:tc><w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr><w:p><w:r><w:t>rain</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
<w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:r><w:t>Chapter Two</w:t></w:r></w:p>
<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>Editor: check this.</w:t></w:r><w:r><w:t>At dawn the postman left a parcel without an address.</w:t></w:r></w:p>
<w:sectPr><w:headerReference w:type="default" r:id="rId8"/><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>`;
  const rel = (id: string, type: string, target: string, external = false) =>
    `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"${external ? ' TargetMode="External"' : ''}/>`;
  const relationships = (inner: string) =>
    `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${inner}</Relationships>`;
  const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
  const entries: Record<string, string | Uint8Array> = {
    '[Content_Types].xml': `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="${word}.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="${word}.styles+xml"/><Override PartName="/word/numbering.xml" ContentType="${word}.numbering+xml"/><Override PartName="/word/footnotes.xml" ContentType="${word}.footnotes+xml"/><Override PartName="/word/header1.xml" ContentType="${word}.header+xml"/></Types>`,
    '_rels/.rels': relationships(rel('rId1', 'officeDocument', 'word/document.xml')),
    'word/document.xml': `${declaration}<w:document ${wordNames}><w:body>${body}</w:body></w:document>`,
    'word/_rels/document.xml.rels': relationships(
      rel('rId1', 'styles', 'styles.xml') +
        rel('rId2', 'footnotes', 'footnotes.xml') +
        rel('rId3', 'numbering', 'numbering.xml') +
        rel('rId8', 'header', 'header1.xml') +
        rel('rId9', 'hyperlink', 'https://example.org/map', true) +
        rel('rId10', 'image', 'media/p.png'),
    ),
    'word/styles.xml': `${declaration}<w:styles ${wordNames}><w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="en-GB"/></w:rPr></w:rPrDefault></w:docDefaults><w:style w:type="paragraph" w:default="1" w:styleId="Standard"><w:name w:val="Normal"/></w:style><w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:basedOn w:val="Standard"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style><w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/><w:basedOn w:val="Standard"/></w:style></w:styles>`,
    'word/numbering.xml': `${declaration}<w:numbering ${wordNames}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
    'word/footnotes.xml': `${declaration}<w:footnotes ${wordNames}><w:footnote w:type="separator" w:id="0"><w:p><w:r><w:separator/></w:r></w:p></w:footnote><w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space="preserve"> Nobody says much at the lighthouse.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
    'word/header1.xml': `${declaration}<w:hdr ${wordNames}><w:p><w:r><w:t>Lighthouse Letters, a novel</w:t></w:r></w:p></w:hdr>`,
    'word/media/p.png': pixelPng,
  };
  return pack(entries);
}

const odtNames =
  'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0" office:version="1.2"';

/** A little story in Arabic. */
export function sampleOdt(): Uint8Array {
  const text = `
<text:h text:style-name="Heading_1" text:outline-level="1">الفصل الأول</text:h>
<text:p text:style-name="Standard">لم يتوقف المطر منذ <text:span text:style-name="T1">ثلاثة أيام</text:span>. وضعت <text:span text:style-name="T1">مارا <text:span text:style-name="T2">الرسالة</text:span></text:span> على الطاولة<text:note text:id="ftn1" text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p text:style-name="Footnote">لا أحد يتكلم كثيرا في المنارة.</text:p></text:note-body></text:note> ونظرت إلى البحر.</text:p>
<text:p text:style-name="Standard">«سيعود»،<text:s text:c="2"/>قالت بصوت خافت.<text:line-break/>ابتسم جدها<text:tab/>ولم يجب.</text:p>
<text:p text:style-name="Standard">* * *</text:p>
<text:list><text:list-item><text:p text:style-name="Standard">مصباح لم يشعله أحد</text:p></text:list-item></text:list>
<table:table table:name="T"><table:table-column table:number-columns-repeated="2"/><table:table-row><table:table-cell><text:p>الاثنين</text:p></table:table-cell><table:table-cell><text:p>مطر</text:p></table:table-cell></table:table-row></table:table>
<text:h text:style-name="Heading_1" text:outline-level="1">الفصل الثاني</text:h>
<text:p text:style-name="Standard"><text:bookmark text:name="b"/>عند الفجر ترك ساعي البريد طردا <text:a xlink:type="simple" xlink:href="https://example.org/">بلا عنوان</text:a>.</text:p>`;
  const entries: Record<string, string | Uint8Array> = {
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `${declaration}<office:document-content ${odtNames}><office:automatic-styles><style:style style:name="T1" style:family="text"><style:text-properties fo:font-style="italic"/></style:style><style:style style:name="T2" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style></office:automatic-styles><office:body><office:text>${text}</office:text></office:body></office:document-content>`,
    'styles.xml': `${declaration}<office:document-styles ${odtNames}><office:styles><style:default-style style:family="paragraph"><style:paragraph-properties style:writing-mode="rl-tb"/><style:text-properties fo:language="en" fo:country="US" style:language-complex="ar" style:country-complex="EG"/></style:default-style><style:style style:name="Standard" style:family="paragraph" style:class="text"/><style:style style:name="Heading_1" style:display-name="Heading 1" style:family="paragraph" style:default-outline-level="1"/></office:styles><office:automatic-styles><style:page-layout style:name="pm1"><style:header-style/></style:page-layout></office:automatic-styles><office:master-styles><style:master-page style:name="Standard" style:page-layout-name="pm1"><style:header><text:p>رسائل المنارة</text:p></style:header></style:master-page></office:master-styles></office:document-styles>`,
    'meta.xml': `${declaration}<office:document-meta ${odtNames}><office:meta><dc:title>رسائل المنارة</dc:title><meta:initial-creator>ليلى منصور</meta:initial-creator></office:meta></office:document-meta>`,
    'META-INF/manifest.xml': `${declaration}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/><manifest:file-entry manifest:full-path="styles.xml" manifest:media-type="text/xml"/><manifest:file-entry manifest:full-path="meta.xml" manifest:media-type="text/xml"/></manifest:manifest>`,
  };
  return pack(entries);
}

function pack(entries: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  return createArchive(
    Object.entries(entries).map(([name, content]) => ({
      name,
      content: typeof content === 'string' ? Buffer.from(content, 'utf8') : content,
      stored: name === 'mimetype',
    })),
  );
}
