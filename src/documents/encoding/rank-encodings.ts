/** Which legacy encodings the bytes of a text can be read in, the likeliest first. */
import { decodeStrictly } from './decode-strictly.ts';
import { type LegacyEncoding, legacyEncodings } from './encodings.ts';
import { decodingBits, languageEvidence } from './score-decoding.ts';

export interface RankedEncoding {
  label: string;
  /** What the sample costs in it; the lower the likelier. */
  bits: number;
  /** Bits against it before any byte is seen. */
  priorBits: number;
}

export interface RankHints {
  /** WHATWG label that the text itself names. */
  declared?: string | undefined;
  /** ISO 639-1 code that the text itself names. */
  language?: string | undefined;
}

/** None when even the best reads like noise. */
export function rankEncodings(bytes: Uint8Array, hints: RankHints = {}): RankedEncoding[] {
  const sample = sampleOf(bytes);
  const beyondAscii = sample.reduce((count, byte) => count + (byte >= 0x80 ? 1 : 0), 0);
  const evidence = languageEvidence(sample, hints.language);
  const declaredBits = leastDeclaredBits + Math.min(maxDeclaredBits, declaredBitsPerByte * beyondAscii);
  return legacyEncodings
    .flatMap((encoding: LegacyEncoding) => {
      const text = decodeStrictly(sample, encoding.label);
      if (text === undefined) return [];
      const { label, languages, priorBits } = encoding;
      const scored = decodingBits(text, encoding, evidence) + priorBits;
      const isNoise = scored / beyondAscii >= noiseBitsPerByte;
      const isOfLanguage = hints.language !== undefined && languages.includes(hints.language);
      const known = (label === hints.declared ? declaredBits : 0) + (isOfLanguage ? languageBits : 0);
      return isNoise ? [] : [{ label, bits: scored - known, priorBits }];
    })
    .sort((a, b) => a.bits - b.bits);
}

/** A declaration is believed unless the text speaks against it letter by letter. */
const leastDeclaredBits = 12;
const declaredBitsPerByte = 1.5;
const maxDeclaredBits = 400;
const languageBits = 12;

/** Random bytes cost 11 and more in every encoding; two or three bytes alone may cost 7 in the right one. */
const noiseBitsPerByte = 9.5;

/** 48 KiB decide: 300 bytes are enough for every pair of encodings in our samples, a book may open in another language. */
const sampleBytes = 48 * 1024;
/** A paragraph on one line; more of it tells nothing new. */
const maxLineBytes = 4 * 1024;

/** Lines with a byte beyond ASCII from all over the text: an English novel may have thirty of them in a million. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const lines = linesBeyondAscii(bytes);
  const total = lines.reduce((sum, line) => sum + line.length, 0);
  const step = Math.max(1, total / sampleBytes);
  const parts: Uint8Array[] = [];
  for (let taken = 0; Math.floor(taken * step) < lines.length; taken++)
    parts.push(lines[Math.floor(taken * step)] as Uint8Array, lineEnd);
  return Buffer.concat(parts);
}

const lineEnd = Uint8Array.of(0x0a);

/** Cut at line ends and blanks, which no multi-byte encoding uses inside a character. */
function linesBeyondAscii(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  let isBeyond = false;
  for (let at = 0; at <= bytes.length; at++) {
    const byte = bytes[at] ?? 0x0a;
    if (byte >= 0x80) isBeyond = true;
    const isEnd = byte === 0x0a || byte === 0x0d || (byte === 0x20 && at - start >= maxLineBytes);
    if (!isEnd) continue;
    if (isBeyond) lines.push(bytes.subarray(start, at));
    start = at + 1;
    isBeyond = false;
  }
  return lines;
}
