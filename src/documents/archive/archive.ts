/**
 * A ZIP archive in memory, read with suspicion. The directory is checked as a whole before a single byte is inflated,
 * because common ZIP readers inflate overlapping entries without complaint. A 20 KB file became 2,000 MiB that way.
 * After that check, every entry is inflated on demand, never past the size it declared. Nested archives are not opened.
 */
import { crc32, inflateRawSync } from 'node:zlib';
import { sourceFault } from '../source-faults.ts';
import { type ArchiveEntry, archiveLimits, readDirectory } from './archive-directory.ts';

export type Archive = ReturnType<typeof openArchive>;

/** @throws BAD_REQUEST with one of the ARCHIVE_ reasons, ENCRYPTED_SOURCE or UNREADABLE_SOURCE */
export function openArchive(bytes: Uint8Array) {
  const entries: readonly ArchiveEntry[] = readDirectory(bytes);
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  // Sizes are checked in the directory already; the budget holds when one entry is asked for again and again.
  let budgetBytes = archiveLimits.unpackedBytes * 4;
  const packed = (entry: ArchiveEntry) => bytes.subarray(entry.dataStart, entry.dataStart + entry.packedBytes);
  const unpack = (entry: ArchiveEntry) => {
    const content = entry.method === 'stored' ? packed(entry) : inflate(entry, packed(entry));
    if (content.length !== entry.unpackedBytes || crc32(content) !== entry.crc) {
      throw sourceFault('UNREADABLE_SOURCE', 'An archive entry does not match its checksum.');
    }
    return content;
  };
  return {
    /** In the order of the directory. */
    entries,
    has: (name: string): boolean => byName.has(name),
    /** The bytes as they lie in the archive, still packed. */
    packed,
    /**
     * The content of an entry; undefined when there is none of that name.
     * @throws BAD_REQUEST UNREADABLE_SOURCE, ARCHIVE_TOO_LARGE
     */
    read(name: string): Uint8Array | undefined {
      const entry = byName.get(name);
      if (entry === undefined) return undefined;
      budgetBytes -= entry.unpackedBytes;
      if (budgetBytes < 0) throw sourceFault('ARCHIVE_TOO_LARGE');
      return unpack(entry);
    },
    /**
     * Unpacks every entry, also those that would only be copied: an output must not pass on a bomb or damage.
     * @throws BAD_REQUEST UNREADABLE_SOURCE, ARCHIVE_TOO_LARGE, ARCHIVE_MISMATCH
     */
    verify(maxUnpackedBytes: number = archiveLimits.unpackedBytes): void {
      const declared = entries.reduce((sum, entry) => sum + entry.unpackedBytes, 0);
      if (declared > maxUnpackedBytes) throw sourceFault('ARCHIVE_TOO_LARGE');
      for (const entry of entries) if (!entry.isDirectory) unpack(entry);
    },
  };
}

export function looksLikeZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03 && bytes[3] === 0x04;
}

function inflate(entry: ArchiveEntry, packed: Uint8Array): Uint8Array {
  try {
    // One chunk of the declared size: no copies, no slack. A lie about a huge size must not be paid in advance.
    const chunkSize = Math.min(1024 * 1024, Math.max(64, entry.unpackedBytes));
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, entry.unpackedBytes), chunkSize });
  } catch (cause) {
    const tooLong = cause instanceof RangeError && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE';
    throw tooLong
      ? sourceFault('ARCHIVE_MISMATCH', 'An entry unpacks to more bytes than it declares.')
      : sourceFault('UNREADABLE_SOURCE', 'An archive entry cannot be unpacked.');
  }
}
