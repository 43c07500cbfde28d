/** Protocol buffers without a schema: a message is its fields in order, and an edited one is written back field by field. */
export interface Field {
  number: number;
  /** A varint, or the bytes of everything else. */
  value: number | Buffer;
  wire: number;
}

const wireVarint = 0;
const wireBytes = 2;

export function readMessage(bytes: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = readVarint();
    const [number, wire] = [Math.floor(key / 8), key % 8];
    if (wire === wireVarint) fields.push({ number, wire, value: readVarint() });
    else {
      const length = wire === wireBytes ? readVarint() : wire === 5 ? 4 : 8;
      fields.push({ number, wire, value: bytes.subarray(at, at + length) });
      at += length;
    }
  }
  return fields;
}

export function writeMessage(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(({ number, wire, value }) => {
      const key = varint(number * 8 + wire);
      if (typeof value === 'number') return [key, varint(value)];
      return wire === wireBytes ? [key, varint(value.length), value] : [key, value];
    }),
  );
}

/** A message from numbers, strings and other messages. */
export function message(fields: readonly (readonly [number, number | string | Buffer])[]): Buffer {
  return writeMessage(
    fields.map(([number, value]) => ({
      number,
      wire: typeof value === 'number' ? wireVarint : wireBytes,
      value: typeof value === 'string' ? Buffer.from(value) : value,
    })),
  );
}

/** The values of one field that are messages or strings, in order. */
export function bytesOf(fields: readonly Field[], wanted: number): Buffer[] {
  return fields.flatMap(({ number, value }) => (number === wanted && typeof value !== 'number' ? [value] : []));
}

/** Numbers of a repeated field, whether they are packed or not. */
export function numbersOf(fields: readonly Field[], wanted: number): number[] {
  return fields
    .filter(({ number }) => number === wanted)
    .flatMap(({ value }) => (typeof value === 'number' ? [value] : unpack(value)));
}

function unpack(bytes: Buffer): number[] {
  const values: number[] = [];
  let [value, scale] = [0, 1];
  for (const byte of bytes) {
    value += (byte & 127) * scale;
    scale *= 128;
    if (byte > 127) continue;
    values.push(value);
    [value, scale] = [0, 1];
  }
  return values;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
  return Buffer.from(bytes);
}
