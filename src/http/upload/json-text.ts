/** The content of one JSON string, decoded piece by piece as it comes. */
import type { LongText } from './long-text.ts';
import { uploadFault } from './upload-faults.ts';

/** A backslash and what may belong to it, at the end of a piece: the rest of the escape is still to come. */
const openEscape = /(?:^|[^\\])(?:\\\\)*(\\(?:u[0-9a-fA-F]{0,3})?)$/;
/** How far before the end the backslash of an open escape may be: `\u` and three digits. */
const longestOpenEscape = 5;

export class JsonText {
  readonly #text: LongText;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  /** The beginning of an escape whose end has not come yet. */
  #escape = '';
  /** The first half of a surrogate pair that was written as two escapes. */
  #half = '';

  constructor(text: LongText) {
    this.#text = text;
  }

  /** @param bytes between the quotes. @throws BAD_REQUEST, PAYLOAD_TOO_LARGE */
  push(bytes: Uint8Array): void {
    this.#take(this.#decoded(bytes, true), false);
  }

  /** @throws BAD_REQUEST when it ends inside a character or an escape */
  end(): void {
    this.#take(this.#decoded(new Uint8Array(), false), true);
    if (this.#half !== '') throw notUnicode();
    this.#text.end();
  }

  #take(piece: string, isLast: boolean): void {
    let raw = this.#escape + piece;
    this.#escape = isLast ? '' : openEscapeOf(raw);
    if (this.#escape !== '') raw = raw.slice(0, -this.#escape.length);
    if (raw === '') return;
    const text = this.#half + parsed(raw);
    this.#half = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(-1) : '';
    const whole = this.#half === '' ? text : text.slice(0, -1);
    if (!whole.isWellFormed()) throw notUnicode();
    this.#text.addString(whole);
  }

  #decoded(bytes: Uint8Array, stream: boolean): string {
    try {
      return this.#decoder.decode(bytes, { stream });
    } catch {
      throw uploadFault('INVALID_ENCODING', 'The body is not UTF-8.');
    }
  }
}

/** Whether a backslash begins an escape or ends one depends on how many stand before it. */
function openEscapeOf(raw: string): string {
  let from = raw.length - longestOpenEscape;
  while (from > 0 && raw[from - 1] === '\\') from -= 1;
  return openEscape.exec(raw.slice(Math.max(0, from)))?.[1] ?? '';
}

function parsed(raw: string): string {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    throw uploadFault('MALFORMED_BODY', 'The body is not valid JSON.');
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function notUnicode() {
  return uploadFault('INVALID_ENCODING', 'The field text is not valid Unicode.', 'text');
}
