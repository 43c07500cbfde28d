/** Word and FB2 documents of a few lines, around the one construct that a test is about. */
import { createArchive } from '../../src/documents/archive/archive-writer.ts';

const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const officeTypes = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const names = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${officeTypes}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:wps="urn:wps" xmlns:v="urn:schemas-microsoft-com:vml"`;

export interface SmallDocx {
  /** Content of the body. */
  body: string;
  /** Content of the part with the footnotes. */
  footnotes?: string;
  styles?: string;
  /** Name of the main part. */
  main?: string;
  /** Further entries. */
  entries?: Readonly<Record<string, Uint8Array>>;
  /** Of the main part: id, last word of the type, target. */
  relationships?: readonly (readonly [id: string, type: string, target: string])[];
}

export function smallDocx({
  body,
  footnotes,
  styles,
  main = 'word/document.xml',
  entries = {},
  relationships: more = [],
}: SmallDocx): Uint8Array {
  const folder = main.slice(0, main.lastIndexOf('/') + 1);
  const parts = Object.entries({ footnotes, styles }).filter(([, content]) => content !== undefined);
  const relationship = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${officeTypes}/${type}" Target="${target}"/>`;
  const relationships = (inner: string) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${inner}</Relationships>`;
  const overrides = [
    `<Override PartName="/${main}" ContentType="${word}.document.main+xml"/>`,
    ...parts.map(([name]) => `<Override PartName="/${folder}${name}.xml" ContentType="${word}.${name}+xml"/>`),
  ];
  const files: Record<string, string> = {
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${overrides.join('')}</Types>`,
    '_rels/.rels': relationships(relationship('rId1', 'officeDocument', main)),
    [`${folder}_rels/${main.slice(folder.length)}.rels`]: relationships(
      [
        ...parts.map(([name], i) => relationship(`rId${i + 1}`, name, `${name}.xml`)),
        ...more.map((each) => relationship(...each)),
      ].join(''),
    ),
    [main]: `<w:document ${names}><w:body>${body}</w:body></w:document>`,
    ...(footnotes === undefined
      ? {}
      : { [`${folder}footnotes.xml`]: `<w:footnotes ${names}>${footnotes}</w:footnotes>` }),
    ...(styles === undefined ? {} : { [`${folder}styles.xml`]: `<w:styles ${names}>${styles}</w:styles>` }),
  };
  return createArchive([
    ...Object.entries(files).map(([name, content]) => ({ name, content: Buffer.from(content) })),
    ...Object.entries(entries).map(([name, content]) => ({ name, content })),
  ]);
}

export function paragraph(text: string, properties = ''): string {
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

export function smallFb2(parts: { body: string; notes?: string; annotation?: string }): Uint8Array {
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink"><description><title-info><book-title>Night Ferry</book-title>${parts.annotation === undefined ? '' : `<annotation>${parts.annotation}</annotation>`}<lang>en</lang></title-info></description><body>${parts.body}</body>${parts.notes === undefined ? '' : `<body name="notes">${parts.notes}</body>`}</FictionBook>`);
}

/** `style` stands before the body, `header` is a page style. */
export function smallOdt(
  body: string,
  { style = '', header = '', entries = {} }: { style?: string; header?: string; entries?: SmallDocx['entries'] } = {},
): Uint8Array {
  const names =
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"';
  const type = 'application/vnd.oasis.opendocument.text';
  const entry = (path: string, media: string) =>
    `<manifest:file-entry manifest:full-path="${path}" manifest:media-type="${media}"/>`;
  const files = {
    mimetype: type,
    'META-INF/manifest.xml': `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.3">${entry('/', type)}${entry('content.xml', 'text/xml')}${entry('styles.xml', 'text/xml')}</manifest:manifest>`,
    'content.xml': `<office:document-content ${names} office:version="1.3">${style}<office:body><office:text>${body}</office:text></office:body></office:document-content>`,
    'styles.xml': `<office:document-styles ${names} office:version="1.3"><office:master-styles>${header}</office:master-styles></office:document-styles>`,
  };
  return createArchive([
    ...Object.entries(files).map(([name, content]) => ({
      name,
      content: Buffer.from(content),
      stored: name === 'mimetype',
    })),
    ...Object.entries(entries).map(([name, content]) => ({ name, content })),
  ]);
}
