/**
 * The translations of a whole book while it is written: one buffer and where each text ends in it. As strings in a map,
 * 20 MB of English with curly quotes take 49 MB. Each string is needed only once per output.
 */
import type { Translations } from './document.ts';

export interface PackedTexts {
  utf8: Uint8Array;
  /** Of the text of block n at index n; as much as the one before where the block has none. */
  ends: Uint32Array;
  size: number;
  /** Blocks whose text is empty, which the ends cannot tell from none. */
  empty: ReadonlySet<string>;
}

export function packTexts(texts: ReadonlyMap<string, string>): PackedTexts {
  const last = [...texts.keys()].reduce((max, id) => Math.max(max, numberOf(id)), 0);
  const sizeBytes = [...texts.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const utf8 = Buffer.allocUnsafeSlow(sizeBytes);
  const ends = new Uint32Array(last + 1);
  const empty = new Set<string>();
  let at = 0;
  for (let number = 1; number <= last; number++) {
    const text = texts.get(`b${number}`);
    if (text === '') empty.add(`b${number}`);
    at += utf8.write(text ?? '', at);
    ends[number] = at;
  }
  return { utf8, ends, size: texts.size, empty };
}

export function unpackTexts({ utf8, ends, size, empty }: PackedTexts): Translations {
  const buffer = Buffer.from(utf8.buffer, utf8.byteOffset, utf8.byteLength);
  return {
    size,
    get(id: string): string | undefined {
      const number = numberOf(id);
      const from = ends[number - 1] ?? 0;
      const to = ends[number] ?? from;
      return to > from ? buffer.toString('utf8', from, to) : empty.has(id) ? '' : undefined;
    },
  };
}

function numberOf(id: string): number {
  return Number(id.slice(1));
}
