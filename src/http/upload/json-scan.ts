import { uploadFault } from './upload-faults.ts';

export interface JsonMember {
  name: string;
  /** Of the raw value, in bytes of what is kept of the body. */
  start: number;
  end: number;
}

export interface JsonScanLimits {
  depth: number;
  members: number;
  /** Of a member's raw value. */
  valueBytes: (name: string) => number;
}

/** Takes the content of a member's string as it comes; it is not kept with the rest. */
export interface LongString {
  push(bytes: Uint8Array): void;
  end(): void;
}

/** A name of 100 characters, each written as an escape of two surrogates. */
const maxNameBytes = 1_200;
const quote = 0x22;
const backslash = 0x5c;
const openers = new Set([0x7b, 0x5b]);
const closers = new Set([0x7d, 0x5d]);
const blanks = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Looks at a JSON object while it comes in and stops it as soon as a member is too large, too deep, or one too many: of
 * 50 MB of small members, `JSON.parse` would make objects for ten seconds. Knows only quotes, brackets and commas;
 * whether the rest is JSON is for the parser to say, which then has little to read: a novel in one string is handed on while it comes.
 */
export class JsonScan {
  readonly members: JsonMember[] = [];
  readonly #limits: JsonScanLimits;
  readonly #longString: (name: string) => LongString | undefined;
  readonly #kept: Uint8Array[] = [];
  /** Of what is kept of the body. */
  #at = 0;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #isOver = false;
  /** Bytes of the name that is being read. */
  #name: number[] | undefined;
  #member: JsonMember | undefined;
  #seesValue = false;
  /** Where the content of the string that is being read goes, if not with the rest. */
  #long: LongString | undefined;

  /** @param longString called at the quote that begins a member's value */
  constructor(limits: JsonScanLimits, longString: (name: string) => LongString | undefined) {
    this.#limits = limits;
    this.#longString = longString;
  }

  /** The body, with the content of long strings left out. */
  kept(): Buffer {
    return Buffer.concat(this.#kept);
  }

  /** @throws BAD_REQUEST; what `tooLarge` returns for a value beyond its limit */
  push(chunk: Uint8Array, tooLarge: (name: string) => Error): void {
    let keptFrom = 0;
    let before = this.#at;
    const keepTo = (end: number): void => {
      // A copy: a few bytes must not keep a chunk of a novel in memory.
      if (end > keptFrom) this.#kept.push(Buffer.from(chunk.subarray(keptFrom, end)));
      before += end - keptFrom;
    };
    for (let i = 0; i < chunk.length; i++) {
      this.#at = before + i - keptFrom;
      if (this.#long) {
        keepTo(i);
        i = this.#passOn(chunk, i);
        keptFrom = this.#long ? i + 1 : i;
      } else if (this.#inString && this.#name === undefined) i = this.#skipString(chunk, i, before - keptFrom);
      else if (this.#inString) this.#readName(chunk[i] ?? 0);
      else this.#outside(chunk[i] ?? 0);
    }
    keepTo(chunk.length);
    this.#at = before;
    // Once per chunk: a chunk is far smaller than any limit that matters.
    const { name, start } = this.#member ?? { name: '', start: this.#at };
    if (this.#seesValue && this.#at - start > this.#limits.valueBytes(name)) throw tooLarge(name);
  }

  /** The content of a long string. Returns the last index it read: that of its closing quote, or of the last byte. */
  #passOn(chunk: Uint8Array, from: number): number {
    let to = from;
    do to = this.#skipString(chunk, to, 0) + 1;
    while (this.#inString && to < chunk.length);
    this.#long?.push(chunk.subarray(from, this.#inString ? to : to - 1));
    if (!this.#inString) {
      this.#long?.end();
      this.#long = undefined;
      if (this.#member) this.#member.end = this.#at + 1;
    }
    return to - 1;
  }

  /** Jumps from quote to quote, which is how a novel in one string costs almost nothing. Returns the last index it read. */
  #skipString(chunk: Uint8Array, from: number, before: number): number {
    let i = from;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      return i;
    }
    const found = chunk.indexOf(quote, i);
    const end = found < 0 ? chunk.length : found;
    let backslashes = 0;
    while (end - 1 - backslashes >= i && chunk[end - 1 - backslashes] === backslash) backslashes++;
    const isEscaped = backslashes % 2 === 1;
    if (found < 0) {
      this.#isEscaped = isEscaped;
      return chunk.length - 1;
    }
    i = found;
    if (!isEscaped) {
      this.#inString = false;
      if (this.#seesValue && this.#member !== undefined) this.#member.end = before + i + 1;
    }
    return i;
  }

  #readName(byte: number): void {
    const name = this.#name ?? [];
    name.push(byte);
    if (name.length > maxNameBytes) throw uploadFault('MALFORMED_BODY', 'A field has an empty or overlong name.');
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) {
      this.#inString = false;
      this.#endName(name);
    }
  }

  #outside(byte: number): void {
    if (blanks.has(byte) || (this.#at < 3 && byteOrderMark[this.#at] === byte)) return;
    if (this.#isOver) throw malformed();
    if (this.#depth === 0 && byte !== 0x7b) {
      throw uploadFault('MALFORMED_BODY', 'The body must be one JSON object.');
    }
    const isMemberLevel = this.#depth === 1;
    if (isMemberLevel && (byte === 0x2c || byte === 0x7d)) this.#endMember();
    else if (isMemberLevel && this.#member === undefined && byte === quote) this.#name = [byte];
    else if (isMemberLevel && this.#member !== undefined && !this.#seesValue && byte !== 0x3a) {
      this.#member.start = this.#at;
      this.#seesValue = true;
    }
    if (byte === quote) {
      this.#inString = true;
      if (isMemberLevel && this.#member?.start === this.#at && this.#seesValue)
        this.#long = this.#longString(this.#member.name);
    } else if (openers.has(byte)) this.#open();
    else if (closers.has(byte)) {
      this.#depth--;
      this.#isOver = this.#depth === 0;
    }
    if (this.#seesValue && this.#member !== undefined) this.#member.end = this.#at + 1;
  }

  #open(): void {
    this.#depth++;
    if (this.#depth > this.#limits.depth) {
      throw uploadFault('MALFORMED_BODY', `The body is nested more than ${this.#limits.depth} levels deep.`);
    }
  }

  #endName(bytes: readonly number[]): void {
    this.#name = undefined;
    if (this.members.length >= this.#limits.members) {
      throw uploadFault('TOO_MANY_PARTS', `The request has more than ${this.#limits.members} fields.`);
    }
    this.#member = { name: nameFrom(bytes), start: 0, end: 0 };
  }

  #endMember(): void {
    if (this.#member !== undefined && this.#seesValue) this.members.push(this.#member);
    this.#member = undefined;
    this.#seesValue = false;
  }
}

const byteOrderMark = [0xef, 0xbb, 0xbf];

function nameFrom(bytes: readonly number[]): string {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as string;
  } catch {
    throw malformed();
  }
}

function malformed(): Error {
  return uploadFault('MALFORMED_BODY', 'The body is not valid JSON.');
}
