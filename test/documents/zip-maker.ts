/** Makes ZIP archives that lie: every field of both directories can be set. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipPart {
  name: string | Uint8Array;
  content?: Uint8Array;
  /** Bytes put into the archive instead of the packed content. */
  packed?: Uint8Array;
  method?: number;
  flags?: number;
  localFlags?: number;
  localName?: string;
  localMethod?: number;
  localSize?: number;
  size?: number;
  packedSize?: number;
  crc?: number;
  attributes?: number;
  madeBy?: number;
  extra?: Uint8Array;
  /** Points the directory at the header of an earlier part; nothing is written for this one. */
  sharesWith?: number;
  /** Moves the offset in the directory. */
  shift?: number;
}

export interface ZipLies {
  count?: number;
  directoryOffset?: number;
  directorySize?: number;
  disk?: number;
  prefix?: Uint8Array;
  suffix?: Uint8Array;
  zip64?: { count?: bigint; size?: bigint; offset?: bigint };
}

export function makeZip(parts: readonly ZipPart[], lies: ZipLies = {}): Uint8Array {
  const body: Uint8Array[] = [lies.prefix ?? new Uint8Array()];
  const directory: Uint8Array[] = [];
  const offsets: number[] = [];
  const deflated = new Map<Uint8Array, Uint8Array>();
  const deflate = (content: Uint8Array) => {
    const known = deflated.get(content) ?? deflateRawSync(content);
    deflated.set(content, known);
    return known;
  };
  let at = body[0]?.length ?? 0;
  for (const part of parts) {
    const content = part.content ?? new Uint8Array();
    const method = part.method ?? 8;
    const packed = part.packed ?? (method === 8 ? deflate(content) : content);
    const name = Buffer.from(part.name);
    const localName = part.localName === undefined ? name : Buffer.from(part.localName);
    const size = part.size ?? content.length;
    const packedSize = part.packedSize ?? packed.length;
    const crc = part.crc ?? (part.sharesWith === undefined ? crc32(content) : 0);
    const offset = part.sharesWith === undefined ? at : (offsets[part.sharesWith] ?? 0);
    offsets.push(offset);
    if (part.sharesWith === undefined) {
      const header = Buffer.alloc(30);
      header.writeUInt32LE(0x04034b50, 0);
      header.writeUInt16LE(20, 4);
      header.writeUInt16LE(part.localFlags ?? part.flags ?? 0, 6);
      header.writeUInt16LE(part.localMethod ?? method, 8);
      header.writeUInt32LE(crc, 14);
      header.writeUInt32LE(packedSize, 18);
      header.writeUInt32LE(part.localSize ?? size, 22);
      header.writeUInt16LE(localName.length, 26);
      body.push(header, localName, packed);
      at += 30 + localName.length + packed.length;
    }
    const extra = part.extra ?? new Uint8Array();
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(part.madeBy ?? 20, 4);
    record.writeUInt16LE(part.flags ?? 0, 8);
    record.writeUInt16LE(method, 10);
    record.writeUInt32LE(crc, 16);
    record.writeUInt32LE(packedSize, 20);
    record.writeUInt32LE(size, 24);
    record.writeUInt16LE(name.length, 28);
    record.writeUInt16LE(extra.length, 30);
    record.writeUInt32LE(part.attributes ?? 0, 38);
    record.writeUInt32LE(offset + (part.shift ?? 0), 42);
    directory.push(record, name, extra);
  }
  const directoryBytes = Buffer.concat(directory);
  const tail: Uint8Array[] = [];
  if (lies.zip64 !== undefined) {
    const record = Buffer.alloc(56);
    record.writeUInt32LE(0x06064b50, 0);
    record.writeBigUInt64LE(44n, 4);
    record.writeBigUInt64LE(lies.zip64.count ?? BigInt(parts.length), 24);
    record.writeBigUInt64LE(lies.zip64.count ?? BigInt(parts.length), 32);
    record.writeBigUInt64LE(lies.zip64.size ?? BigInt(directoryBytes.length), 40);
    record.writeBigUInt64LE(lies.zip64.offset ?? BigInt(at), 48);
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x07064b50, 0);
    locator.writeBigUInt64LE(BigInt(at + directoryBytes.length), 8);
    locator.writeUInt32LE(1, 16);
    tail.push(record, locator);
  }
  const end = Buffer.alloc(22);
  const count = lies.zip64 === undefined ? (lies.count ?? parts.length) : 0xffff;
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(lies.disk ?? 0, 4);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(lies.directorySize ?? directoryBytes.length, 12);
  end.writeUInt32LE(lies.zip64 === undefined ? (lies.directoryOffset ?? at) : 0xffffffff, 16);
  return Buffer.concat([...body, directoryBytes, ...tail, end, lies.suffix ?? new Uint8Array()]);
}

/** A zip64 extra field with these values. */
export function zip64Extra(...values: bigint[]): Uint8Array {
  const extra = Buffer.alloc(4 + values.length * 8);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(values.length * 8, 2);
  for (const [i, value] of values.entries()) extra.writeBigUInt64LE(value, 4 + i * 8);
  return extra;
}
