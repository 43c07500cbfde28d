/** Archives that lie, climb, explode or hide something. Each must be refused with one of its reasons. */
import { crc32, deflateRawSync } from 'node:zlib';
import { openArchive } from '../../src/documents/archive/archive.ts';
import { createArchive } from '../../src/documents/archive/archive-writer.ts';
import { sampleEpub3 } from './sample-books.ts';
import { sampleDocx } from './sample-office.ts';
import { makeZip, type ZipLies, type ZipPart, zip64Extra } from './zip-maker.ts';

export type HostileFile = readonly [title: string, bytes: () => Uint8Array, reason: string | readonly string[]];

const mib = 1024 * 1024;
const text = (content: string) => Buffer.from(content);
const mimetype: ZipPart = { name: 'mimetype', content: text('application/epub+zip'), method: 0 };

/** The parts of a good book, to which one bad thing is added. */
export function goodParts(): ZipPart[] {
  const archive = openArchive(sampleEpub3());
  return archive.entries.map((entry) => ({
    name: entry.name,
    content: archive.read(entry.name) as Uint8Array,
    method: entry.name === 'mimetype' ? 0 : 8,
  }));
}

function bookWith(extra: ZipPart[], lies: ZipLies = {}): Uint8Array {
  return makeZip([...goodParts(), ...extra], lies);
}

const zeros = Buffer.alloc(20 * mib);
const unix = 3 << 8;
/** Whichever check meets it first. */
const archiveFaults = ['UNREADABLE_SOURCE', 'ARCHIVE_MISMATCH', 'ARCHIVE_TOO_LARGE', 'ARCHIVE_OVERLAP'];
export const hostileArchives: readonly HostileFile[] = [
  ['2,000 entries that share one packed megabyte', () => overlapBomb(2000), ['ARCHIVE_TOO_LARGE', 'ARCHIVE_OVERLAP']],
  [
    'two entries that share their data',
    () =>
      bookWith([
        { name: 'a', content: text('abc') },
        { name: 'a2', content: text('abc'), sharesWith: goodParts().length, localName: 'a' },
      ]),
    ['ARCHIVE_MISMATCH', 'ARCHIVE_OVERLAP'],
  ],
  ['an entry inside the data of another', nestedHeader, 'ARCHIVE_OVERLAP'],
  [
    'the same header listed twice',
    () =>
      bookWith([
        { name: 'a', content: text('abc') },
        { name: 'a', content: text('abc'), sharesWith: goodParts().length },
      ]),
    'ARCHIVE_DUPLICATE',
  ],
  ['20 MiB packed 1000:1', () => bookWith([{ name: 'z', content: zeros }]), 'ARCHIVE_RATIO'],
  [
    'many small bombs that only together are one',
    () => bookWith(Array.from({ length: 40 }, (_, i) => ({ name: `z${i}`, content: zeros.subarray(0, mib) }))),
    'ARCHIVE_RATIO',
  ],
  [
    'a declared size of 301 MiB',
    () => bookWith([{ name: 'z', content: text('x'), size: 301 * mib }]),
    'ARCHIVE_TOO_LARGE',
  ],
  [
    'many entries that together declare 301 MiB',
    () => bookWith(Array.from({ length: 301 }, (_, i) => ({ name: `z${i}`, content: text('x'), size: mib }))),
    'ARCHIVE_TOO_LARGE',
  ],
  ['10,001 entries', () => manyEntries(10_001), 'ARCHIVE_ENTRIES'],
  ['65,535 entries', () => manyEntries(65_534), 'ARCHIVE_ENTRIES'],
  ['4 billion entries declared in zip64', () => bookWith([], { zip64: { count: 1n << 32n } }), 'ARCHIVE_ENTRIES'],
  ['an entry count that is too high', () => bookWith([], { count: 400 }), 'UNREADABLE_SOURCE'],
  ['an entry count that hides an entry', () => bookWith([], { count: goodParts().length - 1 }), 'ARCHIVE_MISMATCH'],
  ['a zip64 directory beyond the file', () => bookWith([], { zip64: { offset: 1n << 40n } }), 'UNREADABLE_SOURCE'],
  ['a zip64 offset of 2^63', () => bookWith([], { zip64: { offset: 1n << 63n } }), 'ARCHIVE_TOO_LARGE'],
  [
    'a zip64 size of 16 exabytes',
    () => bookWith([{ name: 'z', content: text('x'), size: 0xffffffff, extra: zip64Extra((1n << 64n) - 1n) }]),
    'ARCHIVE_TOO_LARGE',
  ],
  [
    'a full size field without its zip64 field',
    () => bookWith([{ name: 'z', content: text('x'), size: 0xffffffff }]),
    'UNREADABLE_SOURCE',
  ],
  [
    'a zip64 field that is too short',
    () => bookWith([{ name: 'z', content: text('x'), size: 0xffffffff, extra: zip64Extra() }]),
    'UNREADABLE_SOURCE',
  ],
  ['a size smaller than the data in a page', () => changed('OEBPS/one.xhtml', { size: 10 }), 'ARCHIVE_MISMATCH'],
  ['a size larger than the data in a page', () => changed('OEBPS/one.xhtml', { size: 90_000 }), 'UNREADABLE_SOURCE'],
  [
    'sizes that differ between the directories',
    () => changed('OEBPS/one.xhtml', { localSize: 10 }),
    'ARCHIVE_MISMATCH',
  ],
  [
    'names that differ between the directories',
    () => changed('OEBPS/one.xhtml', { localName: 'OEBPS/two.xhtml' }),
    'ARCHIVE_MISMATCH',
  ],
  [
    'methods that differ between the directories',
    () => changed('OEBPS/one.xhtml', { localMethod: 0 }),
    'ARCHIVE_MISMATCH',
  ],
  ['a stored entry whose two sizes differ', () => changed('mimetype', { size: 400 }), 'ARCHIVE_MISMATCH'],
  ['a wrong checksum in a page', () => changed('OEBPS/one.xhtml', { crc: 1 }), 'UNREADABLE_SOURCE'],
  [
    'rubbish instead of packed data',
    () => changed('OEBPS/one.xhtml', { packed: Buffer.alloc(500, 0xff) }),
    'UNREADABLE_SOURCE',
  ],
  [
    'packed data that ends early',
    () => changed('OEBPS/one.xhtml', { packed: deflateRawSync(zeros).subarray(0, 100) }),
    ['UNREADABLE_SOURCE', 'ARCHIVE_MISMATCH'],
  ],
  ['an unknown way of packing', () => changed('OEBPS/one.xhtml', { method: 12 }), 'UNREADABLE_SOURCE'],
  ['a name that climbs out', () => bookWith([{ name: '../../etc/cron.d/x' }]), 'ARCHIVE_PATH'],
  ['a name that climbs in the middle', () => bookWith([{ name: 'a/../../b' }]), 'ARCHIVE_PATH'],
  ['an absolute name', () => bookWith([{ name: '/etc/passwd' }]), 'ARCHIVE_PATH'],
  ['a drive letter', () => bookWith([{ name: 'C:/windows/x' }]), 'ARCHIVE_PATH'],
  ['backslashes', () => bookWith([{ name: '..\\..\\x' }]), 'ARCHIVE_PATH'],
  ['a network path', () => bookWith([{ name: '//host/share' }]), 'ARCHIVE_PATH'],
  ['a zero byte in a name', () => bookWith([{ name: 'a.png\0.xhtml' }]), 'ARCHIVE_PATH'],
  ['a line break in a name', () => bookWith([{ name: 'a\r\nb' }]), 'ARCHIVE_PATH'],
  ['an empty name', () => bookWith([{ name: '' }]), 'ARCHIVE_PATH'],
  ['a dot as name', () => bookWith([{ name: './x' }]), 'ARCHIVE_PATH'],
  ['a name of 5,000 characters', () => bookWith([{ name: 'x'.repeat(5000) }]), 'ARCHIVE_PATH'],
  [
    'a name that is not the UTF-8 it claims to be',
    () => bookWith([{ name: Buffer.from([0xff, 0xfe, 0x41]), flags: 0x800 }]),
    'ARCHIVE_PATH',
  ],
  ['a folder with content', () => bookWith([{ name: 'folder/', content: text('x') }]), 'ARCHIVE_PATH'],
  ['the same name twice', () => bookWith([{ name: 'OEBPS/one.xhtml', content: text('x') }]), 'ARCHIVE_DUPLICATE'],
  [
    'the same name in two normal forms',
    () => bookWith([{ name: 'caf\u00e9' }, { name: 'cafe\u0301' }]),
    'ARCHIVE_DUPLICATE',
  ],
  [
    'a symbolic link',
    () => bookWith([{ name: 'l', content: text('/etc/passwd'), madeBy: unix, attributes: (0o120777 << 16) >>> 0 }]),
    'ARCHIVE_SYMLINK',
  ],
  ['a device', () => bookWith([{ name: 'd', madeBy: unix, attributes: (0o060666 << 16) >>> 0 }]), 'ARCHIVE_SYMLINK'],
  [
    'a named pipe',
    () => bookWith([{ name: 'f', madeBy: unix, attributes: (0o010666 << 16) >>> 0 }]),
    'ARCHIVE_SYMLINK',
  ],
  ['an encrypted entry', () => bookWith([{ name: 'e', content: text('x'), flags: 1 }]), 'ENCRYPTED_SOURCE'],
  [
    'an entry encrypted only in its own header',
    () => bookWith([{ name: 'e', content: text('x'), localFlags: 1 }]),
    'ENCRYPTED_SOURCE',
  ],
  ['strong encryption', () => bookWith([{ name: 'e', content: text('x'), flags: 0x41 }]), 'ENCRYPTED_SOURCE'],
  ['AES encryption', () => bookWith([{ name: 'e', content: text('x'), method: 99 }]), 'ENCRYPTED_SOURCE'],
  ['DRM on the pages', () => withProtection('http://www.w3.org/2001/04/xmlenc#aes128-cbc'), 'ENCRYPTED_SOURCE'],
  ['an unknown protection', () => withProtection('urn:some:drm'), 'ENCRYPTED_SOURCE'],
  ['a second disk', () => bookWith([], { disk: 1 }), 'UNREADABLE_SOURCE'],
  ['a directory that begins inside the entries', () => bookWith([], { directoryOffset: 30 }), 'UNREADABLE_SOURCE'],
  ['a directory beyond the file', () => bookWith([], { directoryOffset: 0x7fffffff }), 'UNREADABLE_SOURCE'],
  [
    'an offset that points at nothing',
    () => bookWith([{ name: 'x', content: text('x'), shift: 7 }]),
    ['UNREADABLE_SOURCE', 'ARCHIVE_MISMATCH'],
  ],
  [
    'an archive in an archive',
    () => createArchive([{ name: 'book.epub', content: sampleEpub3() }]),
    'UNSUPPORTED_FORMAT',
  ],
  ['an archive that holds itself', quine, ['UNSUPPORTED_FORMAT', 'UNREADABLE_SOURCE', 'ARCHIVE_MISMATCH']],
  [
    'a program in front of the archive',
    () => bookWith([], { prefix: Buffer.concat([text('MZ'), Buffer.alloc(200)]) }),
    'UNSUPPORTED_FORMAT',
  ],
  ['an archive of nothing', () => makeZip([mimetype]), 'UNREADABLE_SOURCE'],
  ['a book whose container leads out', () => onlyContainer('../../../etc/passwd'), 'UNREADABLE_SOURCE'],
  ['a book whose container leads to the network', () => onlyContainer('http://127.0.0.1:1/x.opf'), 'UNREADABLE_SOURCE'],
  [
    'a book whose pages are missing',
    () => makeZip(goodParts().filter((part) => !/\.(x?html)$/.test(String(part.name)) || part.name === 'x')),
    ['UNREADABLE_SOURCE', 'EMPTY_SOURCE'],
  ],
  ...['MZ', 'GIF89a', '%PDF-1.7\n', '<html>', '\u007fELF', '#!/bin/sh\n'].map(
    (magic): HostileFile => [
      `a file that begins as ${JSON.stringify(magic)} and ends as an archive`,
      () => bookWith([], { prefix: Buffer.concat([text(magic), Buffer.alloc(64, 0x20)]) }),
      ['UNSUPPORTED_FORMAT', 'UNREADABLE_SOURCE'],
    ],
  ),
  ['an archive ten levels deep', () => nested(10), 'UNSUPPORTED_FORMAT'],
  ['a directory shorter than its entries', () => bookWith([], { directorySize: 60 }), archiveFaults],
  ['a directory that claims 2 GiB', () => bookWith([], { directorySize: 0x7fffffff }), archiveFaults],
  ['a packed size beyond the file', () => changed('OEBPS/one.xhtml', { packedSize: 0x7fffffff }), archiveFaults],
  ['a negative offset', () => bookWith([{ name: 'x', content: text('x'), shift: -31 }]), archiveFaults],
  ['Word with 20 MiB packed 1000:1', () => wordWith({ name: 'word/z.xml', content: zeros }), 'ARCHIVE_RATIO'],
  ['Word with a name that climbs out', () => wordWith({ name: '../../etc/cron.d/x' }), 'ARCHIVE_PATH'],
];

function wordWith(extra: ZipPart): Uint8Array {
  const archive = openArchive(sampleDocx());
  const parts = archive.entries.map(({ name }) => ({ name, content: archive.read(name) as Uint8Array }));
  return makeZip([...parts, extra]);
}

function nested(levels: number): Uint8Array {
  let inner = sampleEpub3();
  for (let level = 0; level < levels; level++) inner = createArchive([{ name: 'book.epub', content: inner }]);
  return inner;
}

function changed(name: string, change: Partial<ZipPart>): Uint8Array {
  return makeZip(goodParts().map((part) => (part.name === name ? { ...part, ...change } : part)));
}

function manyEntries(count: number): Uint8Array {
  return makeZip([mimetype, ...Array.from({ length: count - 1 }, (_, i) => ({ name: `e${i}`, method: 0 }))]);
}

/** A small file that claims two gigabytes: each entry names the same packed megabyte. */
function overlapBomb(count: number): Uint8Array {
  const shared = Buffer.alloc(mib);
  return makeZip([
    mimetype,
    { name: 'k0', content: shared },
    ...Array.from({ length: count }, (_, i) => ({ name: `k${i + 1}`, content: shared, sharesWith: 1 })),
  ]);
}

/** A stored entry whose content is a complete entry, which the directory lists as well. */
function nestedHeader(): Uint8Array {
  const inner = makeZip([{ name: 'inner', content: text('inner text'), method: 0 }]);
  const outer: ZipPart = { name: 'outer', content: inner, method: 0 };
  const before = makeZip([mimetype, outer]);
  const innerAt = Buffer.from(before).indexOf(Buffer.from('inner')) - 30;
  const zip = makeZip([
    mimetype,
    outer,
    {
      name: 'inner',
      content: text('inner text'),
      method: 0,
      crc: crc32(text('inner text')),
      sharesWith: 0,
      shift: innerAt,
    },
  ]);
  return zip;
}

/** The entry claims to be the archive itself. */
function quine(): Uint8Array {
  const once = makeZip([{ name: 'r/r.zip', content: text('PK'), method: 0 }]);
  return makeZip([{ name: 'r/r.zip', content: once, method: 0 }]);
}

export function withProtection(algorithm: string): Uint8Array {
  const xml = `<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#">
<enc:EncryptedData><enc:EncryptionMethod Algorithm="${algorithm}"/><enc:CipherData><enc:CipherReference URI="OEBPS/x.woff"/></enc:CipherData></enc:EncryptedData></encryption>`;
  return bookWith([{ name: 'META-INF/encryption.xml', content: text(xml) }]);
}

function onlyContainer(path: string): Uint8Array {
  const xml = `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="${path}"/></rootfiles></container>`;
  return makeZip([mimetype, { name: 'META-INF/container.xml', content: text(xml) }]);
}
