export interface Replacement {
  source: string;
  target: string;
}

export interface ReplacedRange extends Replacement {
  start: number;
  end: number;
}

/** Where the terms occur in a plain text: longest first, ranges never overlap, in order of position. */
export function findRanges(plain: string, replacements: readonly Replacement[]): ReplacedRange[] {
  const ranges: ReplacedRange[] = [];
  const taken = new Uint8Array(plain.length);
  const longestFirst = [...replacements].sort((a, b) => b.source.length - a.source.length);
  for (const { source, target } of longestFirst) {
    if (source.trim() === '') continue;
    for (const match of plain.matchAll(occurrencePattern(source))) {
      const range = { start: match.index, end: match.index + match[0].length, source, target };
      if (taken.subarray(range.start, range.end).includes(1)) continue;
      taken.fill(1, range.start, range.end);
      ranges.push(range);
    }
  }
  return ranges.sort((a, b) => a.start - b.start);
}

export function occursIn(plain: string, source: string): boolean {
  return source.trim() !== '' && plain.search(occurrencePattern(source)) >= 0;
}

/**
 * Han, kana and Thai: anywhere. Other scripts: from a word start, and with at most three letters of ending, which
 * covers plurals, possessives and the commonest Korean particles.
 */
function occurrencePattern(source: string): RegExp {
  if (patterns.size >= maxPatterns) patterns.clear();
  return patterns.getOrInsertComputed(source, newPattern);
}

/** A pattern takes milliseconds to compile, and the terms of a book come with every passage. */
const patterns = new Map<string, RegExp>();
const maxPatterns = 2_000;

function newPattern(source: string): RegExp {
  const escaped = source
    .trim()
    .split(/\s+/u)
    .map((part) => RegExp.escape(part))
    .join('\\s+');
  const first = /^[\p{L}\p{N}]/u.test(source) && !unspaced.test(source.slice(0, 2)) ? '(?<![\\p{L}\\p{N}])' : '';
  const lastCharacter = [...source.trim()].at(-1) ?? '';
  const ending =
    /[\p{L}\p{N}]/u.test(lastCharacter) && !unspaced.test(lastCharacter)
      ? `(?=['’]?\\p{L}{0,3}(?![\\p{L}\\p{N}]))`
      : '';
  return new RegExp(first + escaped + ending, 'giu');
}

/** Letters of scripts that put no spaces between words. */
export const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
