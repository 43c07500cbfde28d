import { inlineTagsNest, inlineTagsOf, stripInlineTags, tokenizeInline } from './inline-tags.ts';

export interface Projection {
  text: string;
  /** Tags whose place had to be guessed. */
  approximated: number;
  /** Tags that the translation had lost, invented or repeated; 1 when they were all there and did not nest. */
  repairs: number;
}

/**
 * Puts all inline tags of a source onto its translation, nested as in the source, and never at the cost of a word. A
 * translation whose tags are sound stays as it is. Otherwise tags it already carries keep their place. Others go where their
 * text is found again: a name, a number, the rendering of a term. Failing that, they go to the same fraction of the text, at
 * a word boundary.
 */
export function projectTags(
  source: string,
  translation: string,
  targetLang = 'und',
  renderings: ReadonlyMap<string, string> = new Map(),
): Projection {
  const repairs = faultsOf(source, translation);
  if (repairs === 0) return { text: translation, approximated: 0, repairs };
  const elements = elementsOf(source);
  const clean = stripInlineTags(translation);
  if (elements.length === 0) return { text: clean, approximated: 0, repairs };
  const placed = placesOf(translation);
  const sourceText = stripInlineTags(source);
  const words = wordsOf(clean, targetLang);
  let approximated = 0;
  const locate = (element: Element): void => {
    const placedRange = placed.get(`${element.number}${element.single ? '/' : ''}`);
    const range = placedRange ?? search(sourceText.slice(element.start, element.end), clean, renderings);
    if (range === undefined) approximated++;
    const scale = clean.length / Math.max(1, sourceText.length);
    element.target = range ?? guess(words, element.start * scale, element.end * scale);
    for (const child of element.children) locate(child);
  };
  for (const element of elements) locate(element);
  return { text: write(elements, clean, 0, clean.length), approximated, repairs };
}

function faultsOf(source: string, translation: string): number {
  const wanted = inlineTagsOf(source);
  const missing = new Map<string, number>();
  for (const tag of wanted) missing.set(tag, (missing.get(tag) ?? 0) + 1);
  for (const tag of inlineTagsOf(translation)) missing.set(tag, (missing.get(tag) ?? 0) - 1);
  const differing = missing.values().reduce((sum, count) => sum + Math.abs(count), 0);
  return differing > 0 ? differing : inlineTagsNest(translation) ? 0 : 1;
}

interface Range {
  start: number;
  end: number;
}

interface Element extends Range {
  number: number;
  single: boolean;
  children: Element[];
  target: Range;
}

function elementsOf(source: string): Element[] {
  const top: Element[] = [];
  const stack: Element[] = [];
  let at = 0;
  for (const token of tokenizeInline(source)) {
    if (token.kind === 'text') {
      at += token.text.length;
      continue;
    }
    if (token.kind === 'close') {
      const element = stack.pop();
      if (element !== undefined) element.end = at;
      continue;
    }
    const element = {
      number: token.number,
      single: token.kind === 'standalone',
      start: at,
      end: at,
      children: [],
      target: { start: 0, end: 0 },
    };
    (stack.at(-1)?.children ?? top).push(element);
    if (!element.single) stack.push(element);
  }
  return top;
}

/** Tags that came back whole: one standalone, or one opening before its one closing. */
function placesOf(translation: string): Map<string, Range> {
  let at = 0;
  const tags = tokenizeInline(translation).flatMap((token) => {
    if (token.kind !== 'text') return [{ ...token, at }];
    at += token.text.length;
    return [];
  });
  const places = new Map<string, Range>();
  for (const [number, all] of Map.groupBy(tags, (tag) => tag.number)) {
    const { standalone = [], open = [], close = [] } = Object.groupBy(all, ({ kind }) => kind);
    const [[single], [opening], [closing]] = [standalone, open, close];
    if (single && standalone.length === 1) places.set(`${number}/`, { start: single.at, end: single.at });
    if (opening && closing && open.length === 1 && close.length === 1 && opening.at < closing.at)
      places.set(`${number}`, { start: opening.at, end: closing.at });
  }
  return places;
}

function search(wrapped: string, clean: string, renderings: ReadonlyMap<string, string>): Range | undefined {
  const text = wrapped.trim();
  if (text === '') return undefined;
  for (const candidate of [renderings.get(text), text]) {
    if (candidate === undefined || candidate === '') continue;
    const start = clean.indexOf(candidate);
    if (start >= 0 && !isInsideWord(clean, start, start + candidate.length))
      return { start, end: start + candidate.length };
  }
  return undefined;
}

/** In scripts that put spaces between words: emphasis on "art" is not found again in "heart". */
function isInsideWord(text: string, start: number, end: number): boolean {
  const joins = (at: number): boolean =>
    /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{2}/u.test(text.slice(at - 1));
  return (start > 0 && joins(start)) || joins(end);
}

interface Words {
  starts: number[];
  ends: number[];
  /** Both, and the edges of the text. */
  boundaries: number[];
}

function wordsOf(text: string, language: string): Words {
  const words: Words = { starts: [], ends: [], boundaries: [0] };
  for (const { index, segment, isWordLike } of new Intl.Segmenter(language, { granularity: 'word' }).segment(text)) {
    if (segment.trim() === '') continue;
    words.boundaries.push(index, index + segment.length);
    if (isWordLike !== true) continue;
    words.starts.push(index);
    words.ends.push(index + segment.length);
  }
  words.boundaries.push(text.length);
  return words;
}

/** Emphasis is around whole words, at least one: around blanks, marks or nothing, Markdown would show its asterisks. */
function guess({ starts, ends, boundaries }: Words, start: number, end: number): Range {
  if (start === end || starts.length === 0) {
    const at = nearest(boundaries, start);
    return { start: at, end: start === end ? at : nearest(boundaries, end) };
  }
  const first = nearestIndex(starts, start);
  const [from = 0, to = 0] = [starts[first], ends[first]];
  return { start: from, end: Math.max(nearest(ends, end), to) };
}

function nearest(places: readonly number[], wanted: number): number {
  return places[nearestIndex(places, wanted)] ?? 0;
}

/** By halves, because a paragraph may have thousands of words and of tags. */
function nearestIndex(places: readonly number[], wanted: number): number {
  let from = 0;
  let to = places.length - 1;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((places[middle] ?? 0) < wanted) from = middle + 1;
    else to = middle;
  }
  const before = Math.max(0, from - 1);
  return wanted - (places[before] ?? 0) <= (places[from] ?? 0) - wanted ? before : from;
}

/** Elements in the order of their places, each kept inside its parent and after its left neighbour. */
function write(elements: readonly Element[], clean: string, from: number, to: number): string {
  let text = '';
  let at = from;
  const ordered = elements.toSorted((a, b) => a.target.start - b.target.start || a.start - b.start);
  for (const element of ordered) {
    const earliest = Math.min(to, Math.max(at, element.target.start));
    const end = Math.min(to, Math.max(earliest, element.target.end));
    // Where a neighbour has taken the first word, the next one begins after the blank.
    const start = earliest > element.target.start ? end - clean.slice(earliest, end).trimStart().length : earliest;
    text += clean.slice(at, start);
    text += element.single
      ? `<${element.number}/>`
      : `<${element.number}>${write(element.children, clean, start, end)}</${element.number}>`;
    at = element.single ? start : end;
  }
  return text + clean.slice(at, to);
}
