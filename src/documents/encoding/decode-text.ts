/**
 * Bytes of a plain text to a string. A byte order mark decides, then UTF-8 when all bytes are valid, then UTF-16 by its
 * zero bytes; for the rest strict decoding says which legacy encodings are possible and `score-decoding.ts` which of them
 * reads like a language. Whatever cannot be read without a replacement character is refused.
 */

import type { DocumentWarning } from '../document.ts';
import { sourceFault } from '../source-faults.ts';
import { decodeStrictly } from './decode-strictly.ts';
import { legacyEncodings } from './encodings.ts';
import { decodingBits } from './score-decoding.ts';

export interface DecodedText {
  /** Without byte order mark, newlines as in the source. */
  text: string;
  /** WHATWG label. */
  encoding: string;
  warnings: DocumentWarning[];
}

/** @throws BAD_REQUEST with reason NOT_TEXT or UNREADABLE_ENCODING */
export function decodeText(bytes: Uint8Array): DecodedText {
  const marked = encodingOfMark(bytes);
  if (marked !== undefined) return decodeAs(bytes.subarray(marked.markBytes), marked.label) ?? unreadable();
  const zeroBytes = bytes.includes(0);
  if (!zeroBytes) {
    const utf8 = decodeAs(bytes, 'utf-8');
    // ISO-2022-JP is pure ASCII with escape sequences, so it has to be asked for before plain ASCII is accepted.
    if (utf8 !== undefined) return (looksLikeIso2022Jp(bytes) && decodeAs(bytes, 'iso-2022-jp')) || utf8;
    if (isDamagedUtf8(bytes)) return unreadable();
  }
  const utf16 = unmarkedUtf16(bytes);
  const asUtf16 = utf16 && decodeAs(bytes, utf16);
  if (asUtf16 !== undefined) return asUtf16;
  if (zeroBytes) {
    throw sourceFault('NOT_TEXT');
  }
  for (const label of rankLegacyEncodings(bytes)) {
    const decoded = decodeAs(bytes, label);
    if (decoded !== undefined) return decoded;
  }
  return unreadable();
}

function unreadable(): never {
  throw sourceFault('UNREADABLE_ENCODING');
}

function encodingOfMark(bytes: Uint8Array): { label: string; markBytes: number } | undefined {
  const starts = (...mark: number[]) => mark.every((byte, i) => bytes[i] === byte);
  if (starts(0xef, 0xbb, 0xbf)) return { label: 'utf-8', markBytes: 3 };
  if (starts(0x84, 0x31, 0x95, 0x33)) return { label: 'gb18030', markBytes: 4 };
  // UTF-32 begins like UTF-16LE and is refused for its zero bytes.
  if (starts(0xff, 0xfe) && !starts(0xff, 0xfe, 0, 0)) return { label: 'utf-16le', markBytes: 2 };
  if (starts(0xfe, 0xff)) return { label: 'utf-16be', markBytes: 2 };
  return undefined;
}

/** Strict, but a last character cut off by whatever shortened the file is left out, with a warning. */
function decodeAs(bytes: Uint8Array, label: string): DecodedText | undefined {
  const whole = decodeStrictly(bytes, label);
  if (whole !== undefined) return { text: whole, encoding: label, warnings: warningsOf(whole) };
  const longestCharacter = label === 'gb18030' || label === 'utf-8' ? 4 : 2;
  for (let cut = 1; cut < longestCharacter && cut < bytes.length; cut++) {
    const lead = bytes[bytes.length - cut] as number;
    if (lead < 0x80 && !label.startsWith('utf-16')) continue;
    const shortened = decodeStrictly(bytes.subarray(0, bytes.length - cut), label);
    if (shortened === undefined) continue;
    const warning = { code: 'TRUNCATED_CHARACTER', message: 'The source ends within a character, which was left out.' };
    return { text: shortened, encoding: label, warnings: [warning, ...warningsOf(shortened)] };
  }
  return undefined;
}

function warningsOf(text: string): DocumentWarning[] {
  if (!text.includes('\ufffd')) return [];
  return [
    {
      code: 'REPLACEMENT_CHARACTERS',
      message: 'The source itself contains replacement characters (U+FFFD): text was lost before it was sent.',
    },
  ];
}

function looksLikeIso2022Jp(bytes: Uint8Array): boolean {
  const start = bytes.indexOf(0x1b);
  return start >= 0 && bytes[start + 1] === 0x24 && (bytes[start + 2] === 0x42 || bytes[start + 2] === 0x40);
}

/**
 * Mostly valid UTF-8 with a few broken bytes: every single-byte encoding could "read" it, as nonsense. Legacy text that
 * forms as many as four valid sequences for each invalid byte by chance does not occur.
 */
function isDamagedUtf8(bytes: Uint8Array): boolean {
  let valid = 0;
  let invalid = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte < 0x80) continue;
    const follow =
      byte >= 0xf0 && byte < 0xf5 ? 3 : byte >= 0xe0 && byte < 0xf0 ? 2 : byte >= 0xc2 && byte < 0xe0 ? 1 : 0;
    let seen = 0;
    while (seen < follow && ((bytes[i + seen + 1] ?? 0) & 0xc0) === 0x80) seen++;
    if (follow > 0 && seen === follow) {
      valid++;
      i += follow;
    } else invalid++;
  }
  return valid > 4 * invalid;
}

/** The byte order of text in UTF-16 that does not begin with a mark; undefined for anything else. */
export function unmarkedUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes.length < 4 || bytes.length % 2 !== 0) return undefined;
  const sample = bytes.subarray(0, sampleBytes - (sampleBytes % 2));
  const shareOf = (label: string) => {
    const text = decodeStrictly(sample, label) ?? decodeStrictly(sample.subarray(0, sample.length - 2), label);
    return text === undefined ? 0 : plausibleShare(text);
  };
  const shares = { 'utf-16le': shareOf('utf-16le'), 'utf-16be': shareOf('utf-16be') };
  const label = shares['utf-16le'] >= shares['utf-16be'] ? 'utf-16le' : 'utf-16be';
  return shares[label] > 0.9 ? label : undefined;
}

// Alphabets with marks and punctuation, kana, and everyday Han and Hangul blocks. Two legacy bytes read as one UTF-16
// unit scatter over the whole plane, so white space and newlines must be there as well.
const plausible =
  /[\t\n\r\u0020-\u007e\u00a0-\u024f\u0370-\u0556\u05d0-\u06ff\u0900-\u0e7f\u10a0-\u10ff\u1e00-\u1eff\u2010-\u203b\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e]/g;

function plausibleShare(text: string): number {
  const marks = text.match(/[\n\r \u3000-\u3002\uff0c.,]/g)?.length ?? 0;
  // Running prose in any script has a space or a mark at least every 50 characters.
  if (text.length > 50 && marks * 50 < text.length) return 0;
  return (text.match(plausible)?.length ?? 0) / text.length;
}

/** 48 KiB decide: 300 bytes are enough for every pair of encodings in our samples, a book may open in another language. */
const sampleBytes = 48 * 1024;

/** Possible encodings, most plausible first; none when even the best reads like noise. */
function rankLegacyEncodings(bytes: Uint8Array): string[] {
  const sample = sampleOf(bytes);
  const beyondAscii = sample.reduce((count, byte) => count + (byte >= 0x80 ? 1 : 0), 0);
  return legacyEncodings
    .flatMap((encoding) => {
      const text = decodeStrictly(sample, encoding.label);
      return text === undefined
        ? []
        : [{ label: encoding.label, bits: decodingBits(text, encoding) + encoding.priorBits }];
    })
    .filter(({ bits }) => bits / beyondAscii < noiseBitsPerByte)
    .sort((a, b) => a.bits - b.bits)
    .map(({ label }) => label);
}

/** Random bytes cost 11 and more in every encoding; two or three bytes alone may cost 7 in the right one. */
const noiseBitsPerByte = 9.5;

/** Stretches from all over the text, cut at line ends, which no multi-byte encoding uses inside a character. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= sampleBytes) return bytes.subarray(0, lastLineEnd(bytes));
  const stretches = 12;
  const length = Math.floor(sampleBytes / stretches);
  const parts: Uint8Array[] = [];
  for (let i = 0; i < stretches; i++) {
    const from = Math.floor(((bytes.length - length) / (stretches - 1)) * i);
    const start = i === 0 ? 0 : bytes.indexOf(0x0a, from) + 1;
    if (start === 0 && i > 0) continue;
    const stretch = bytes.subarray(start, start + length);
    parts.push(stretch.subarray(0, lastLineEnd(stretch)));
  }
  return Buffer.concat(parts);
}

function lastLineEnd(bytes: Uint8Array): number {
  const end = bytes.lastIndexOf(0x0a);
  return end < 0 ? bytes.length : end + 1;
}
