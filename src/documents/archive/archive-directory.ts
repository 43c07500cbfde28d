/** Reads the central directory of a ZIP archive and refuses every archive that lies or could harm. */

import { sourceFault } from '../source-faults.ts';
import { safeEntryName } from './archive-names.ts';

export interface ArchiveEntry {
  name: string;
  /** The name as it lies in the archive, for copying. */
  nameBytes: Uint8Array;
  isDirectory: boolean;
  method: 'stored' | 'deflated';
  packedBytes: number;
  unpackedBytes: number;
  crc: number;
  /** Where the packed bytes begin. */
  dataStart: number;
  /** Kept when the entry is copied. */
  versionMadeBy: number;
  isUtf8: boolean;
  dosTime: number;
  dosDate: number;
  externalAttributes: number;
}

export const archiveLimits = {
  entries: 10_000,
  unpackedBytes: 300 * 1024 * 1024,
  ratio: 100,
  /** Below this an extreme ratio is harmless: one picture of a single colour packs 1000:1. */
  ratioFromBytes: 16 * 1024 * 1024,
} as const;

/** @throws BAD_REQUEST with one of the ARCHIVE_ reasons, ENCRYPTED_SOURCE or UNREADABLE_SOURCE */
export function readDirectory(bytes: Uint8Array): ArchiveEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const directory = findDirectory(view);
  if (directory.count > archiveLimits.entries) throw sourceFault('ARCHIVE_ENTRIES');
  const entries: ArchiveEntry[] = [];
  const headers: number[] = [];
  const names = new Set<string>();
  let totalUnpacked = 0;
  let totalPacked = 0;
  let at = directory.start;
  for (let i = 0; i < directory.count; i++) {
    if (at + 46 > directory.end || view.getUint32(at, true) !== 0x02014b50) throw damaged('directory');
    const record = readRecord(bytes, view, at, directory.end);
    const { entry } = record;
    const key = entry.name.normalize('NFC');
    if (names.has(key)) throw sourceFault('ARCHIVE_DUPLICATE');
    names.add(key);
    totalUnpacked += entry.unpackedBytes;
    totalPacked += entry.packedBytes;
    if (totalUnpacked > archiveLimits.unpackedBytes) throw sourceFault('ARCHIVE_TOO_LARGE');
    if (isBomb(entry.unpackedBytes, entry.packedBytes)) throw sourceFault('ARCHIVE_RATIO');
    entries.push(entry);
    headers.push(record.headerStart);
    at = record.next;
  }
  if (at < directory.end && view.getUint32(at, true) === 0x02014b50) {
    throw sourceFault('ARCHIVE_MISMATCH', 'The directory holds more entries than it declares.');
  }
  if (isBomb(totalUnpacked, totalPacked)) throw sourceFault('ARCHIVE_RATIO');
  const ranges = entries.map((entry, i) => {
    const start = headers[i] ?? 0;
    entry.dataStart = checkLocalHeader(bytes, view, entry, start, directory.start);
    return { start, end: entry.dataStart + entry.packedBytes };
  });
  refuseOverlaps(ranges, directory.start);
  return entries;
}

function findDirectory(view: DataView): ReturnType<typeof readEndRecord> {
  // The end record is 22 bytes and may be followed by a comment of at most 65,535 bytes.
  const lowest = Math.max(0, view.byteLength - 22 - 0xffff);
  for (let at = view.byteLength - 22; at >= lowest; at--) {
    if (view.getUint32(at, true) !== 0x06054b50) continue;
    if (at + 22 + view.getUint16(at + 20, true) > view.byteLength) continue;
    return readEndRecord(view, at);
  }
  throw damaged('end record');
}

function readEndRecord(view: DataView, at: number) {
  let disk = view.getUint16(at + 4, true) | view.getUint16(at + 6, true);
  let countOnDisk = view.getUint16(at + 8, true);
  let count = view.getUint16(at + 10, true);
  let size = view.getUint32(at + 12, true);
  let start = view.getUint32(at + 16, true);
  let limit = at;
  if (count === 0xffff || size === 0xffffffff || start === 0xffffffff) {
    const locator = at - 20;
    if (locator < 0 || view.getUint32(locator, true) !== 0x07064b50) throw damaged('zip64 locator');
    const record = readUint64(view, locator + 8);
    if (record + 56 > locator || view.getUint32(record, true) !== 0x06064b50) throw damaged('zip64 end record');
    disk = view.getUint32(record + 16, true) | view.getUint32(record + 20, true);
    countOnDisk = readUint64(view, record + 24);
    count = readUint64(view, record + 32);
    size = readUint64(view, record + 40);
    start = readUint64(view, record + 48);
    limit = record;
  }
  if (disk !== 0 || countOnDisk !== count) throw damaged('end record');
  if (count > archiveLimits.entries) throw sourceFault('ARCHIVE_ENTRIES');
  if (start + size > limit) throw damaged('end record');
  return { count, start, end: start + size };
}

function readRecord(bytes: Uint8Array, view: DataView, at: number, end: number) {
  const versionMadeBy = view.getUint16(at + 4, true);
  const flags = view.getUint16(at + 8, true);
  const method = view.getUint16(at + 10, true);
  const nameLength = view.getUint16(at + 28, true);
  const extraLength = view.getUint16(at + 30, true);
  const externalAttributes = view.getUint32(at + 38, true);
  const nameStart = at + 46;
  const extraStart = nameStart + nameLength;
  const next = extraStart + extraLength + view.getUint16(at + 32, true);
  if (next > end) throw damaged('directory');
  // Bit 0: encrypted; 6: strong encryption; 13: masked headers.
  if ((flags & 0x2041) !== 0 || method === 99) throw sourceFault('ENCRYPTED_SOURCE');
  if (method !== 0 && method !== 8)
    throw sourceFault('UNREADABLE_SOURCE', 'An archive entry is packed in an unusual way.');
  refuseSpecialFile(versionMadeBy, externalAttributes);
  const wide = {
    unpacked: view.getUint32(at + 24, true),
    packed: view.getUint32(at + 20, true),
    header: view.getUint32(at + 42, true),
  };
  readWideSizes(view, extraStart, extraLength, wide);
  if (method === 0 && wide.packed !== wide.unpacked) throw sourceFault('ARCHIVE_MISMATCH');
  if (view.getUint16(at + 34, true) !== 0 || wide.header + 30 > view.byteLength) throw damaged('directory');
  const nameBytes = bytes.slice(nameStart, extraStart);
  const isUtf8 = (flags & 0x0800) !== 0;
  const name = safeEntryName(nameBytes, isUtf8);
  const entry: ArchiveEntry = {
    name,
    nameBytes,
    isDirectory: name.endsWith('/'),
    method: method === 0 ? 'stored' : 'deflated',
    packedBytes: wide.packed,
    unpackedBytes: wide.unpacked,
    crc: view.getUint32(at + 16, true),
    dataStart: 0,
    versionMadeBy,
    isUtf8,
    dosTime: view.getUint16(at + 12, true),
    dosDate: view.getUint16(at + 14, true),
    externalAttributes,
  };
  if (entry.isDirectory && entry.unpackedBytes > 0) throw sourceFault('ARCHIVE_PATH');
  return { entry, headerStart: wide.header, next };
}

/** Sizes of 0xffffffff stand in the zip64 extra field, in a fixed order and only where the short field is full. */
function readWideSizes(
  view: DataView,
  extraStart: number,
  extraLength: number,
  sizes: { unpacked: number; packed: number; header: number },
): void {
  const full = (value: number) => value === 0xffffffff;
  if (!full(sizes.unpacked) && !full(sizes.packed) && !full(sizes.header)) return;
  const extraEnd = extraStart + extraLength;
  for (let at = extraStart; at + 4 <= extraEnd; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 0x0001) continue;
    const fieldEnd = Math.min(at + 4 + view.getUint16(at + 2, true), extraEnd);
    let field = at + 4;
    for (const key of ['unpacked', 'packed', 'header'] as const) {
      if (!full(sizes[key])) continue;
      if (field + 8 > fieldEnd) throw damaged('zip64 sizes');
      sizes[key] = readUint64(view, field);
      field += 8;
    }
    return;
  }
  throw damaged('zip64 sizes');
}

/** The header before the data must say what the directory says; readers differ in which of the two they believe. */
function checkLocalHeader(bytes: Uint8Array, view: DataView, entry: ArchiveEntry, at: number, limit: number): number {
  if (at + 30 > limit || view.getUint32(at, true) !== 0x04034b50) throw damaged('entry header');
  const flags = view.getUint16(at + 6, true);
  const nameLength = view.getUint16(at + 26, true);
  const extraLength = view.getUint16(at + 28, true);
  const dataStart = at + 30 + nameLength + extraLength;
  if (dataStart + entry.packedBytes > limit) throw damaged('entry data');
  if ((flags & 0x2041) !== 0) throw sourceFault('ENCRYPTED_SOURCE');
  const localName = bytes.subarray(at + 30, at + 30 + nameLength);
  const sameName = Buffer.compare(localName, entry.nameBytes) === 0;
  const sameMethod = view.getUint16(at + 8, true) === (entry.method === 'stored' ? 0 : 8);
  if (!sameName || !sameMethod) throw sourceFault('ARCHIVE_MISMATCH');
  const hasDescriptor = (flags & 0x0008) !== 0;
  const sizes = { unpacked: view.getUint32(at + 22, true), packed: view.getUint32(at + 18, true), header: 0 };
  // With a data descriptor the sizes follow the data and these are zero, or repeat the directory.
  if (hasDescriptor && sizes.unpacked === 0 && sizes.packed === 0) return dataStart;
  if (!(hasDescriptor && sizes.unpacked === 0xffffffff)) {
    readWideSizes(view, at + 30 + nameLength, extraLength, sizes);
    const same = sizes.unpacked === entry.unpackedBytes && sizes.packed === entry.packedBytes;
    if (!same || (!hasDescriptor && view.getUint32(at + 14, true) !== entry.crc)) throw sourceFault('ARCHIVE_MISMATCH');
  }
  return dataStart;
}

function refuseOverlaps(ranges: { start: number; end: number }[], limit: number): void {
  let end = 0;
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    if (range.start < end) throw sourceFault('ARCHIVE_OVERLAP');
    end = range.end;
  }
  if (end > limit) throw sourceFault('ARCHIVE_OVERLAP');
}

function refuseSpecialFile(versionMadeBy: number, externalAttributes: number): void {
  const madeByUnix = versionMadeBy >> 8 === 3 || versionMadeBy >> 8 === 19;
  const type = (externalAttributes >>> 16) & 0o170000;
  if (madeByUnix && type !== 0 && type !== 0o100000 && type !== 0o040000) throw sourceFault('ARCHIVE_SYMLINK');
}

function isBomb(unpackedBytes: number, packedBytes: number): boolean {
  return unpackedBytes > archiveLimits.ratioFromBytes && unpackedBytes > packedBytes * archiveLimits.ratio;
}

function readUint64(view: DataView, at: number): number {
  if (at + 8 > view.byteLength) throw damaged('zip64 sizes');
  const value = view.getBigUint64(at, true);
  // Nothing in a file of at most 50 MiB lies beyond this; a larger value is a lie.
  if (value > 0xffff_ffff_ffffn) throw sourceFault('ARCHIVE_TOO_LARGE');
  return Number(value);
}

function damaged(where: string) {
  return sourceFault('UNREADABLE_SOURCE', `The archive's ${where} is damaged.`);
}
