/**
 * Makes the tags of a translation usable: whatever an engine did to them, no word is lost. Tags that cannot be kept
 * are dropped, standalone tags that vanished (images, footnote anchors) are put back near where they stood.
 */
import { type InlineToken, stripInlineTags, tokenizeInline } from '../../inline-tags.ts';

export interface RepairedInline {
  text: string;
  /** Tags taken out: unknown, repeated, unclosed or crossing ones. */
  dropped: number;
  /** Standalone tags put back. */
  restored: number;
  /** Pairs of the source that the translation does not have. */
  lostPairs: number[];
}

type Tag = Exclude<InlineToken, { kind: 'text' }>;

export function repairInline(translation: string, source: string): RepairedInline {
  const sourceTokens = tokenizeInline(source);
  const tokens = tokenizeInline(translation);
  const pairs = numbersOf(sourceTokens, 'open');
  const standalones = numbersOf(sourceTokens, 'standalone');
  const keep = new Set([...matchedPairs(tokens, pairs), ...firstStandalones(tokens, standalones)]);
  const present = new Set([...keep].map((token) => token.number));
  const missing = [...standalones].filter((number) => !present.has(number));
  const kept = tokens.filter((token) => token.kind === 'text' || keep.has(token));
  const dropped = tokens.length - kept.length;
  const lostPairs = [...pairs].filter((number) => !present.has(number));
  const joined = kept.map((token) => (token.kind === 'text' ? token.text : token.raw)).join('');
  const text = missing.length === 0 ? joined : restore(joined, missing, sourceTokens, stripInlineTags(source).length);
  return { text, dropped, restored: missing.length, lostPairs };
}

function numbersOf(tokens: readonly InlineToken[], kind: Tag['kind']): Set<number> {
  return new Set(tokens.flatMap((token) => (token.kind === kind ? [token.number] : [])));
}

/** Pairs that nest properly, each number once. A close tag that crosses others gives up what stands open inside it. */
function matchedPairs(tokens: readonly InlineToken[], known: ReadonlySet<number>): Tag[] {
  const matched: Tag[] = [];
  const used = new Set<number>();
  const open: Tag[] = [];
  for (const token of tokens) {
    if (token.kind === 'open' && known.has(token.number) && !used.has(token.number)) {
      used.add(token.number);
      open.push(token);
    } else if (token.kind === 'close') {
      const at = open.findLastIndex((candidate) => candidate.number === token.number);
      if (at < 0) continue;
      matched.push(open[at] as Tag, token);
      open.length = at;
    }
  }
  return matched;
}

function firstStandalones(tokens: readonly InlineToken[], known: ReadonlySet<number>): Tag[] {
  const seen = new Set<number>();
  return tokens.filter((token): token is Tag => {
    if (token.kind !== 'standalone' || !known.has(token.number) || seen.has(token.number)) return false;
    seen.add(token.number);
    return true;
  });
}

/** Each missing tag goes to the same relative place, moved forward to the next gap between words. */
function restore(
  translation: string,
  missing: readonly number[],
  sourceTokens: readonly InlineToken[],
  sourceLength: number,
): string {
  const places = new Map<number, number>();
  let before = 0;
  for (const token of sourceTokens) {
    if (token.kind === 'text') before += token.text.length;
    else if (token.kind === 'standalone') places.set(token.number, sourceLength === 0 ? 1 : before / sourceLength);
  }
  const tokens = tokenizeInline(translation);
  const length = stripInlineTags(translation).length;
  const wanted = missing
    .map((number) => ({ number, at: Math.round((places.get(number) ?? 1) * length) }))
    .sort((a, b) => a.at - b.at || a.number - b.number);
  const parts: string[] = [];
  let done = 0;
  let next = 0;
  for (const token of tokens) {
    if (token.kind !== 'text') {
      parts.push(token.raw);
      continue;
    }
    let from = 0;
    for (let want = wanted[next]; want !== undefined && want.at < done + token.text.length; want = wanted[next]) {
      const gap = wordEnd(token.text, Math.max(from, want.at - done));
      parts.push(token.text.slice(from, gap), `<${want.number}/>`);
      from = gap;
      next++;
    }
    parts.push(token.text.slice(from));
    done += token.text.length;
  }
  for (const want of wanted.slice(next)) parts.push(`<${want.number}/>`);
  return parts.join('');
}

function wordEnd(text: string, from: number): number {
  if (from === 0) return 0;
  const gap = text.slice(from, from + 40).search(/[\s\p{P}]/u);
  if (gap >= 0) return from + gap;
  // Scripts without spaces: never between the halves of a surrogate pair.
  return (text.charCodeAt(from) & 0xfc00) === 0xdc00 ? from + 1 : from;
}
