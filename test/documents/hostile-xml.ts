/** XML and HTML that explodes, reaches out or cannot be read, inside every format that has any. */
import { randomBytes } from 'node:crypto';
import { openArchive } from '../../src/documents/archive/archive.ts';
import { rewriteArchive } from '../../src/documents/archive/archive-writer.ts';
import { sampleEpub3 } from './sample-books.ts';
import { sampleDocx, sampleOdt } from './sample-office.ts';

export interface HostileXml {
  title: string;
  fileName: string;
  bytes: () => Uint8Array;
  /** Why it is refused; undefined = read, and harmless. */
  reason: string | readonly string[] | undefined;
}

export const utf8 = (content: string) => Buffer.from(content, 'utf8');
export const xhtml = (body: string, before = '') =>
  `<?xml version="1.0"?>${before}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body><p>Words.</p>${body}</body></html>`;

export function bookWithPage(page: Uint8Array, name = 'OEBPS/one.xhtml'): Uint8Array {
  return rewriteArchive(openArchive(sampleEpub3()), {
    replace: new Map([[name, page]]),
    first: { name: 'mimetype', content: Buffer.from('application/epub+zip') },
  });
}

const laughs = Array.from({ length: 10 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');
const refusedPages: [title: string, page: () => Uint8Array, reason: string | string[]][] = [
  ['a billion laughs', () => utf8(xhtml('&l10;', `<!DOCTYPE html [<!ENTITY l0 "lol">${laughs}]>`)), 'XML_DOCTYPE'],
  [
    '100,000 attributes',
    () => utf8(xhtml(`<p ${Array.from({ length: 100_000 }, (_, i) => `a${i}=""`).join(' ')}>x</p>`)),
    'XML_TOO_LARGE',
  ],
  [
    'quadratic expansion',
    () => utf8(xhtml('&a;'.repeat(9999), `<!DOCTYPE html [<!ENTITY a "${'a'.repeat(99_999)}">]>`)),
    'XML_DOCTYPE',
  ],
  [
    'an external entity of a file',
    () => utf8(xhtml('<p>&x;</p>', '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]>')),
    'XML_DOCTYPE',
  ],
  [
    'an external entity of the network',
    () => utf8(xhtml('<p>&x;</p>', '<!DOCTYPE html [<!ENTITY x SYSTEM "http://127.0.0.1:1/">]>')),
    'XML_DOCTYPE',
  ],
  [
    'parameter entities',
    () => utf8(xhtml('', '<!DOCTYPE html [<!ENTITY % p SYSTEM "http://127.0.0.1:1/"> %p;]>')),
    'XML_DOCTYPE',
  ],
  [
    'attribute defaults in a DOCTYPE',
    () => utf8(xhtml('', '<!DOCTYPE html [<!ATTLIST p class CDATA "x">]>')),
    'XML_DOCTYPE',
  ],
  ['an empty internal subset', () => utf8(xhtml('', '<!DOCTYPE html []>')), 'XML_DOCTYPE'],
  ['300 levels', () => utf8(xhtml('<div>'.repeat(300) + '</div>'.repeat(300))), 'XML_DEPTH'],
  ['100,000 levels', () => utf8(xhtml(levels(100_000))), 'XML_DEPTH'],
  ['100,000 levels never closed', () => utf8(xhtml('<div>'.repeat(100_000))), 'XML_DEPTH'],
  ['an attribute of 10 MB', () => utf8(xhtml(`<p title="${randomText(10_000_000)}">x</p>`)), 'XML_TOO_LARGE'],
  ['UTF-7', () => utf8(xhtml('').replace('?>', ' encoding="utf-7"?>')), 'XML_ENCODING'],
  ['EBCDIC', () => utf8(xhtml('').replace('?>', ' encoding="cp037"?>')), 'XML_ENCODING'],
  ['UTF-32', () => utf8(xhtml('').replace('?>', ' encoding="utf-32"?>')), 'XML_ENCODING'],
  ['bytes that are not UTF-8', () => Buffer.concat([utf8(xhtml('')), Buffer.from([0xc3, 0x28])]), 'XML_ENCODING'],
  [
    'an overlong form of a character',
    () => Buffer.concat([utf8('<html>'), Buffer.from([0xc0, 0xaf]), utf8('</html>')]),
    'XML_ENCODING',
  ],
  [
    'half of a surrogate pair in UTF-16',
    () => Buffer.from([0xff, 0xfe, 0x3c, 0x00, 0x00, 0xd8, 0x3c, 0x00]),
    'XML_ENCODING',
  ],
];

const refusedHtml: [title: string, page: () => string, reason: string][] = [
  ['100,000 open elements', () => `<html><body>words${'<div>'.repeat(100_000)}`, 'XML_DEPTH'],
  ['100,000 open bold tags', () => `<html><body>words${'<b>'.repeat(100_000)}x`, 'XML_DEPTH'],
  [
    'formatting that multiplies',
    () =>
      `<html><body><p>${Array.from({ length: 400 }, (_, i) => `<b a=${i}>`).join('')}</p>${'<p>x</p>'.repeat(50_000)}`,
    'XML_TOO_LARGE',
  ],
];
const inertPages: [title: string, page: () => Uint8Array][] = [
  ['an external DOCTYPE', () => utf8(xhtml('', '<!DOCTYPE html SYSTEM "http://127.0.0.1:1/evil.dtd">'))],
  ['a million numeric references', () => utf8(xhtml(`<p>${references(1_000_000)}</p>`))],
  ['a reference to nothing', () => utf8(xhtml('<p>&nosuchthing; word</p>'))],
  [
    'an inclusion',
    () => utf8(xhtml('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/>')),
  ],
  [
    'a style sheet instruction',
    () => utf8(xhtml('').replace('?>', '?><?xml-stylesheet href="http://127.0.0.1:1/x.xsl"?>')),
  ],
  ['a frame of a local file', () => utf8(xhtml('<iframe src="file:///etc/passwd"></iframe>'))],
  [
    'UTF-16 with a mark',
    () => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(xhtml('<p>Wörter</p>'), 'utf16le')]),
  ],
  ['UTF-16 without a mark', () => Buffer.from(xhtml('<p>Wörter</p>'), 'utf16le')],
  ['a declared UTF-16 that is UTF-8', () => utf8(xhtml('<p>Wörter</p>').replace('?>', ' encoding="utf-16"?>'))],
  ['100,000 empty elements', () => utf8(xhtml(`<p>a${'<i></i>'.repeat(100_000)}b</p>`))],
  ['100,000 line breaks', () => utf8(xhtml(`<p>${'word<br/>'.repeat(100_000)}</p>`))],
  ['100,000 brackets in CDATA', () => utf8(xhtml(`<p><![CDATA[${']'.repeat(100_000)}]]></p>`))],
  ['attributes named like object members', () => utf8(xhtml('<p __proto__="x" constructor="y">words</p>'))],
  ['tags that cross', () => utf8(xhtml('<b><i>one</b> two</i>'))],
];

const parts = ['OEBPS/book.opf', 'OEBPS/toc.ncx', 'OEBPS/nav.xhtml', 'META-INF/container.xml'];
const attacks: [title: string, xml: () => string, reason: string][] = [
  ['a billion laughs', () => `<!DOCTYPE x [<!ENTITY l0 "lol">${laughs}]><x>&l10;</x>`, 'XML_DOCTYPE'],
  ['undefined references', () => '<x>&undefined;</x>', 'UNREADABLE_SOURCE'],
  ['100,000 levels', () => levels(100_000), 'XML_DEPTH'],
  ['no end', () => '<x><y>', 'UNREADABLE_SOURCE'],
  ['nothing', () => '', 'UNREADABLE_SOURCE'],
  ['control characters', () => '<x>\u0001</x>', 'UNREADABLE_SOURCE'],
  ['the same attribute twice', () => '<x a="1" a="2"/>', 'UNREADABLE_SOURCE'],
  ['rubbish', () => '\u0000\u0001\u0002', 'UNREADABLE_SOURCE'],
];

/** The main part of the other formats, which have readers of their own. */
const otherFormats: [fileName: string, withXml: (xml: string) => Uint8Array][] = [
  ['book.docx', (xml) => replaced(sampleDocx(), 'word/document.xml', utf8(xml))],
  ['book.odt', (xml) => replaced(sampleOdt(), 'content.xml', utf8(xml))],
  ['book.fb2', (xml) => utf8(`<?xml version="1.0"?>${xml.replaceAll(/(<\/?)x\b/g, '$1FictionBook')}`)],
];
/** What begins with such a DOCTYPE is not even taken for FB2. */
const doctype = ['XML_DOCTYPE', 'UNSUPPORTED_FORMAT'];
const otherAttacks: [title: string, xml: () => string, reason: string[]][] = [
  ['a billion laughs', () => `<!DOCTYPE x [<!ENTITY l0 "lol">${laughs}]><x>&l10;</x>`, doctype],
  ['a file as entity', () => '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><x>&f;</x>', doctype],
  ['the network as entity', () => '<!DOCTYPE x [<!ENTITY f SYSTEM "http://127.0.0.1:1/">]><x>&f;</x>', doctype],
  ['parameter entities', () => '<!DOCTYPE x [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><x/>', doctype],
  ['100,000 levels', () => `<x>${levels(100_000)}`, ['XML_DEPTH']],
  ['no end', () => '<x><y>', ['UNREADABLE_SOURCE']],
];

/** All of them, as whole files that can be sent. */
export const hostileXml: readonly HostileXml[] = [
  ...refusedPages.map(([title, page, reason]) => ({
    title: `a page with ${title}`,
    fileName: 'book.epub',
    bytes: () => bookWithPage(page()),
    reason,
  })),
  ...parts.flatMap((part) =>
    attacks.map(([title, xml, reason]) => ({
      title: `${part} with ${title}`,
      fileName: 'book.epub',
      bytes: () => bookWithPage(utf8(xml()), part),
      reason,
    })),
  ),
  ...otherFormats.flatMap(([fileName, withXml]) =>
    otherAttacks.map(([title, xml, reason]) => ({
      title: `${fileName} with ${title}`,
      fileName,
      bytes: () => withXml(xml()),
      reason,
    })),
  ),
  ...inertPages.map(([title, page]) => ({
    title: `a page with ${title}`,
    fileName: 'book.epub',
    bytes: () => bookWithPage(page()),
    reason: undefined,
  })),
  {
    title: '20,000 paragraphs with a namespace of their own below 4,000 others',
    fileName: 'book.fb2',
    bytes: () => {
      const names = Array.from({ length: 4_000 }, (_, i) => `xmlns:n${i}="urn:n${i}"`).join(' ');
      return utf8(
        `<FictionBook ${names}><body><section>${'<p xmlns:n="urn:n">Words.</p>'.repeat(20_000)}</section></body></FictionBook>`,
      );
    },
    reason: undefined,
  },
  {
    title: 'Word with relationships that lead outside',
    fileName: 'book.docx',
    bytes: docxWithExternalRelationships,
    reason: undefined,
  },
  {
    title: 'a page with pictures, styles and fonts of other hosts',
    fileName: 'book.epub',
    bytes: () =>
      bookWithPage(
        utf8(
          xhtml(
            '<img src="http://127.0.0.1:1/a.png"/><object data="file:///etc/passwd"></object><style>@import "http://127.0.0.1:1/a.css";</style><p>After.</p>',
          ),
        ),
      ),
    reason: undefined,
  },
  ...refusedHtml.map(([title, page, reason]) => ({
    title: `HTML with ${title}`,
    fileName: 'page.html',
    bytes: () => utf8(page()),
    reason,
  })),
];

function replaced(archive: Uint8Array, name: string, content: Uint8Array): Uint8Array {
  return rewriteArchive(openArchive(archive), { replace: new Map([[name, content]]) });
}

/** A template, a picture, an object and a frame that a word processor would fetch on opening. */
function docxWithExternalRelationships(): Uint8Array {
  const kinds = ['attachedTemplate', 'image', 'oleObject', 'frame', 'subDocument', 'hyperlink'];
  const targets = ['http://127.0.0.1:1/x', 'file:///etc/passwd', '../../../../etc/passwd', '\\\\127.0.0.1\\share'];
  const rows = kinds.flatMap((kind, k) =>
    targets.map(
      (target, t) =>
        `<Relationship Id="e${k}${t}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${kind}" Target="${target}" TargetMode="External"/>`,
    ),
  );
  const name = 'word/_rels/document.xml.rels';
  const sample = openArchive(sampleDocx());
  const before = Buffer.from(sample.read(name) ?? []).toString();
  return replaced(sampleDocx(), name, utf8(before.replace('</Relationships>', `${rows.join('')}</Relationships>`)));
}

/** Names and numbers differ, so that the archive is not refused for its ratio first. */
function levels(count: number): string {
  return Array.from({ length: count }, (_, i) => `<d${(i * 48271) % 99991}>`).join('');
}

function references(count: number): string {
  return Array.from({ length: count }, (_, i) => `&#${65 + ((i * 48271) % 9973)};`).join('');
}

/** Text that does not pack well, so that the archive itself is above suspicion. */
function randomText(length: number): string {
  return randomBytes(length / 2).toString('hex');
}
