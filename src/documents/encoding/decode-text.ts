/**
 * Bytes of a plain text to a string. A byte order mark decides, then UTF-8 when all bytes are valid, then UTF-16 by its zero
 * bytes. For the rest, strict decoding says which legacy encodings are possible. `rank-encodings.ts` says which of them reads
 * like a language, with what the text says of itself. Whatever cannot be read without a replacement character is refused.
 */

import type { DocumentWarning } from '../document.ts';
import { sourceFault } from '../source-faults.ts';
import { decodeStrictly } from './decode-strictly.ts';
import { type RankedEncoding, type RankHints, rankEncodings } from './rank-encodings.ts';

export interface DecodedText {
  /** Without byte order mark, newlines as in the source. */
  text: string;
  /** WHATWG label. */
  encoding: string;
  warnings: DocumentWarning[];
}

/** `hints`: what the text says of itself. @throws BAD_REQUEST with reason NOT_TEXT or UNREADABLE_ENCODING */
export function decodeText(bytes: Uint8Array, hints: RankHints = {}): DecodedText {
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
  const readings = rankEncodings(bytes, hints).flatMap((ranked) => {
    const decoded = decodeAs(bytes, ranked.label);
    return decoded === undefined ? [] : [{ ...ranked, decoded }];
  });
  const [best] = readings;
  if (best === undefined) return unreadable();
  const other = readings.find(({ decoded }) => decoded.text !== best.decoded.text);
  // The commoner of two that are close.
  const isClose = other !== undefined && other.bits - best.bits < closeBits;
  const taken = isClose && other.priorBits < best.priorBits ? other : best;
  const doubt = doubtOf(taken, isClose ? (taken === best ? other : best) : undefined, hints.declared);
  return { ...taken.decoded, warnings: [...taken.decoded.warnings, ...doubt] };
}

/** Two readings that differ by less are told to the sender: in our measurements no wrong one was further ahead. */
const closeBits = 6;

function doubtOf(
  taken: RankedEncoding,
  other: RankedEncoding | undefined,
  declared: string | undefined,
): DocumentWarning[] {
  const against = other?.label ?? (declared === undefined || declared === taken.label ? undefined : declared);
  if (against === undefined) return [];
  const reason = other === undefined ? `it names ${against} itself` : `it could also be ${against}`;
  const message = `The text was read as ${taken.label}, although ${reason}. Save it as UTF-8 if letters look wrong.`;
  return [{ code: 'ENCODING_UNCERTAIN', message }];
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
    if (!isCutCharacter(bytes.subarray(bytes.length - cut), label)) continue;
    const shortened = decodeStrictly(bytes.subarray(0, bytes.length - cut), label);
    // A text of ASCII that ends in é is not UTF-8 that was cut.
    if (shortened === undefined || (label === 'utf-8' && !/[^\0-\u007f]/.test(shortened))) continue;
    const warning = { code: 'TRUNCATED_CHARACTER', message: 'The source ends within a character, which was left out.' };
    return { text: shortened, encoding: label, warnings: [warning, ...warningsOf(shortened)] };
  }
  return undefined;
}

/** Whether the bytes can be the beginning of a character. */
function isCutCharacter(tail: Uint8Array, label: string): boolean {
  const [lead = 0, ...rest] = tail;
  if (label.startsWith('utf-16')) return true;
  if (label === 'utf-8') return lead >= 0xc2 && lead < 0xf5 && rest.every((byte) => (byte & 0xc0) === 0x80);
  return lead >= 0x80 && rest.every((byte, i) => (i % 2 === 0 ? byte >= 0x30 && byte < 0x3a : byte >= 0x81));
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

const utf16SampleBytes = 48 * 1024;

/** The byte order of text in UTF-16 that does not begin with a mark; undefined for anything else. */
export function unmarkedUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes.length < 4 || bytes.length % 2 !== 0) return undefined;
  const sample = bytes.subarray(0, utf16SampleBytes);
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
