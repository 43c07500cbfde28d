/**
 * Writes ZIP archives. Entries that were not changed are copied still packed, so they stay byte-identical and cost
 * nothing; the same input always gives the same bytes.
 */
import { crc32, deflateRawSync } from 'node:zlib';
import type { Archive } from './archive.ts';
import type { ArchiveEntry } from './archive-directory.ts';

export interface NewEntry {
  name: string;
  content: Uint8Array;
  stored?: boolean;
}

export interface ArchiveChanges {
  /** New content by entry name; null leaves the entry out. */
  replace: ReadonlyMap<string, Uint8Array | null>;
  /** Written first and stored, as EPUB and ODT ask of `mimetype`; added where it is missing. */
  first?: { name: string; content: Uint8Array };
}

type PackedEntry = Omit<ArchiveEntry, 'dataStart' | 'name' | 'isDirectory'> & { packed: Uint8Array };

function packContent(content: Uint8Array, stored: boolean) {
  const deflated = stored ? content : deflateRawSync(content);
  const isStored = stored || deflated.length >= content.length;
  // zlib answers with a view on a chunk of 16 KiB; a page packs to about 4, and a book has hundreds.
  const packed = isStored ? content : new Uint8Array(deflated);
  return {
    method: isStored ? ('stored' as const) : ('deflated' as const),
    packed,
    packedBytes: packed.length,
    unpackedBytes: content.length,
    crc: crc32(content),
  };
}

/** A copy of the archive with some entries changed, in the old order. */
export function rewriteArchive(archive: Archive, changes: ArchiveChanges): Uint8Array {
  const kept = archive.entries.filter((entry) => changes.replace.get(entry.name) !== null);
  const { first } = changes;
  const isFirst = (entry: ArchiveEntry) => entry.name === first?.name;
  const isMissing = first !== undefined && !kept.some(isFirst);
  const ordered = [...kept.filter(isFirst), ...kept.filter((entry) => !isFirst(entry))];
  const items = ordered.map((entry): PackedEntry => {
    const isPackedFirst = isFirst(entry) && entry.method !== 'stored';
    const content = changes.replace.get(entry.name) ?? (isPackedFirst ? archive.read(entry.name) : undefined);
    if (content === undefined) return { ...entry, packed: archive.packed(entry) };
    return { ...entry, ...packContent(content, isFirst(entry)) };
  });
  return joinEntries(isMissing ? [packNew({ ...first, stored: true }), ...items] : items);
}

export function createArchive(entries: readonly NewEntry[]): Uint8Array {
  return joinEntries(entries.map(packNew));
}

function packNew(entry: NewEntry): PackedEntry {
  return {
    nameBytes: Buffer.from(entry.name, 'utf8'),
    versionMadeBy: 20,
    isUtf8: /[^\u0000-\u007f]/.test(entry.name),
    // 1980-01-01 00:00, the first moment a ZIP can name: the time of writing would make every output differ.
    dosTime: 0,
    dosDate: 0x21,
    externalAttributes: 0,
    ...packContent(entry.content, entry.stored === true),
  };
}

function joinEntries(entries: readonly PackedEntry[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const entry of entries) {
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(entry.isUtf8 ? 0x0800 : 0, 2);
    fields.writeUInt16LE(entry.method === 'stored' ? 0 : 8, 4);
    fields.writeUInt16LE(entry.dosTime, 6);
    fields.writeUInt16LE(entry.dosDate, 8);
    fields.writeUInt32LE(entry.crc, 10);
    fields.writeUInt32LE(entry.packedBytes, 14);
    fields.writeUInt32LE(entry.unpackedBytes, 18);
    fields.writeUInt16LE(entry.nameBytes.length, 22);
    parts.push(Buffer.from('PK\x03\x04'), fields, entry.nameBytes, entry.packed);
    const madeBy = Buffer.alloc(6);
    madeBy.writeUInt32LE(0x02014b50, 0);
    madeBy.writeUInt16LE(entry.versionMadeBy, 4);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(entry.externalAttributes, 6);
    tail.writeUInt32LE(offset, 10);
    directory.push(madeBy, fields, tail, entry.nameBytes);
    offset += 30 + entry.nameBytes.length + entry.packed.length;
  }
  const directoryBytes = directory.reduce((sum, part) => sum + part.length, 0);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directoryBytes, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}
