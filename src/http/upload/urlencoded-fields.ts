import { decodeUtf8 } from './decode-utf8.ts';
import type { FieldSet } from './field-set.ts';
import type { LongText } from './long-text.ts';
import { uploadFault } from './upload-faults.ts';

/** A name of 100 characters in UTF-8. */
const maxNameBytes = 400;

/**
 * Reads `name=value&name=value`, decoding each chunk as it comes: a novel in one go would keep the process busy for a
 * second. A stray percent sign is an error, not a literal. Throws BAD_REQUEST, PAYLOAD_TOO_LARGE.
 */
export async function readUrlencodedFields(chunks: AsyncIterable<Uint8Array>, fields: FieldSet): Promise<void> {
  const form = new UrlencodedForm(fields);
  for await (const chunk of chunks) form.push(chunk);
  form.end();
}

const [ampersand, equals, percent, plus, space] = [0x26, 0x3d, 0x25, 0x2b, 0x20];

/** By byte; -1 for what is no digit. */
const hexDigits = new Int8Array(256).fill(-1);
for (let digit = 0; digit < 16; digit++) {
  const text = digit.toString(16);
  hexDigits[text.charCodeAt(0)] = digit;
  hexDigits[text.toUpperCase().charCodeAt(0)] = digit;
}

class UrlencodedForm {
  readonly #fields: FieldSet;
  /** Undefined until the "=". */
  #name: string | undefined;
  #text: LongText | undefined;
  #decoded: Buffer[] = [];
  #decodedBytes = 0;
  #isEmpty = true;
  /** Digits still to come of a percent escape, and its value so far. */
  #digits = 0;
  #escaped = 0;

  constructor(fields: FieldSet) {
    this.#fields = fields;
  }

  push(chunk: Uint8Array): void {
    const out = Buffer.allocUnsafe(chunk.length);
    let length = 0;
    const flush = (): void => {
      this.#take(out.subarray(0, length));
      length = 0;
    };
    for (const byte of chunk) {
      if (this.#digits > 0) {
        this.#escaped = this.#escaped * 16 + this.#digitOf(byte);
        this.#digits--;
        if (this.#digits === 0) out[length++] = this.#escaped;
      } else if (byte === percent) {
        this.#digits = 2;
        this.#escaped = 0;
        this.#isEmpty = false;
      } else if (byte === ampersand) {
        flush();
        this.#endPair();
      } else if (byte === equals && this.#name === undefined) {
        flush();
        this.#endName();
        this.#isEmpty = false;
      } else {
        this.#isEmpty = false;
        out[length++] = byte === plus ? space : byte;
      }
    }
    flush();
  }

  end(): void {
    this.#endPair();
  }

  #take(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#text) {
      this.#text.addBytes(bytes);
      return;
    }
    this.#decoded.push(Buffer.from(bytes));
    this.#decodedBytes += bytes.length;
    if (this.#name === undefined) {
      if (this.#decodedBytes > maxNameBytes) {
        throw uploadFault('MALFORMED_BODY', 'A field has an empty or overlong name.');
      }
    } else if (this.#decodedBytes > this.#fields.maxBytes(this.#name)) throw this.#fields.tooLarge(this.#name);
  }

  #endName(): void {
    const name = this.#value();
    if (name === undefined) throw uploadFault('INVALID_ENCODING', 'A field name is not percent-encoded UTF-8.');
    if (name === 'file') {
      throw uploadFault('FILE_NEEDS_MULTIPART', 'A file can be sent as multipart/form-data only.', name);
    }
    this.#fields.admit(name);
    this.#name = name;
    this.#text = this.#fields.openText(name);
  }

  #endPair(): void {
    if (this.#digits > 0) throw this.#encodingFault();
    if (this.#isEmpty) return;
    const name = this.#name;
    const value = this.#value();
    if (name === undefined) throw uploadFault('MALFORMED_BODY', 'A field of the form has no "=".');
    if (value === undefined) throw this.#encodingFault();
    if (this.#text) this.#text.end();
    else this.#fields.add(name, value);
    this.#name = undefined;
    this.#text = undefined;
    this.#isEmpty = true;
  }

  #value(): string | undefined {
    const text = decodeUtf8(Buffer.concat(this.#decoded, this.#decodedBytes));
    this.#decoded = [];
    this.#decodedBytes = 0;
    return text;
  }

  #digitOf(byte: number): number {
    const digit = hexDigits[byte] ?? -1;
    if (digit < 0) throw this.#encodingFault();
    return digit;
  }

  #encodingFault(): Error {
    return this.#name === undefined
      ? uploadFault('INVALID_ENCODING', 'A field name is not percent-encoded UTF-8.')
      : uploadFault('INVALID_ENCODING', `The field ${this.#name} is not percent-encoded UTF-8.`, this.#name);
  }
}
