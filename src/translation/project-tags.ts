import { stripInlineTags, tokenizeInline } from '../inline-tags.ts';

export interface Projection {
  text: string;
  /** Tags whose place had to be guessed. */
  approximated: number;
}

/**
 * Puts the inline tags of a source onto its translation: all of them, nested as in the source, and never at the cost of
 * a word. Tags the translation already carries keep their place; others go where their text is found again (a name, a
 * number, the rendering of a term), else to the same fraction of the text, at a word boundary.
 */
export function projectTags(
  source: string,
  translation: string,
  targetLang: string,
  renderings: ReadonlyMap<string, string> = new Map(),
): Projection {
  const elements = elementsOf(source);
  const clean = stripInlineTags(translation);
  if (elements.length === 0) return { text: clean, approximated: 0 };
  const placed = placesOf(translation);
  const sourceText = stripInlineTags(source);
  const boundaries = wordBoundaries(clean, targetLang);
  let approximated = 0;
  const locate = (element: Element): void => {
    const own = placed.get(`${element.number}${element.single ? '/' : ''}`);
    const found = own ?? search(sourceText.slice(element.start, element.end), clean, renderings);
    if (found === undefined) approximated++;
    const scale = clean.length / Math.max(1, sourceText.length);
    element.target = found ?? {
      start: nearest(boundaries, element.start * scale),
      end: nearest(boundaries, element.end * scale),
    };
    for (const child of element.children) locate(child);
  };
  for (const element of elements) locate(element);
  return { text: write(elements, clean, 0, clean.length), approximated };
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
  const opens = new Map<number, number[]>();
  const closes = new Map<number, number[]>();
  const singles = new Map<number, number[]>();
  let at = 0;
  for (const token of tokenizeInline(translation)) {
    if (token.kind === 'text') at += token.text.length;
    else {
      const list = token.kind === 'open' ? opens : token.kind === 'close' ? closes : singles;
      list.set(token.number, [...(list.get(token.number) ?? []), at]);
    }
  }
  const places = new Map<string, Range>();
  for (const [number, [at = 0, ...more]] of singles)
    if (more.length === 0) places.set(`${number}/`, { start: at, end: at });
  for (const [number, [start = 0, ...more]] of opens) {
    const [end, ...others] = closes.get(number) ?? [];
    if (end !== undefined && more.length === 0 && others.length === 0 && start < end)
      places.set(`${number}`, { start, end });
  }
  return places;
}

function search(wrapped: string, clean: string, renderings: ReadonlyMap<string, string>): Range | undefined {
  const text = wrapped.trim();
  if (text === '') return undefined;
  for (const candidate of [renderings.get(text), text]) {
    if (candidate === undefined || candidate === '') continue;
    const start = clean.indexOf(candidate);
    if (start >= 0) return { start, end: start + candidate.length };
  }
  return undefined;
}

function wordBoundaries(text: string, language: string): number[] {
  const boundaries = [0];
  for (const { index, segment } of new Intl.Segmenter(language, { granularity: 'word' }).segment(text)) {
    // Emphasis starts and ends at words, not at the spaces between them.
    if (segment.trim() !== '') boundaries.push(index, index + segment.length);
  }
  boundaries.push(text.length);
  return boundaries;
}

function nearest(boundaries: readonly number[], wanted: number): number {
  let best = 0;
  for (const boundary of boundaries) if (Math.abs(boundary - wanted) < Math.abs(best - wanted)) best = boundary;
  return best;
}

/** Elements in the order of their places, each kept inside its parent and after its left neighbour. */
function write(elements: readonly Element[], clean: string, from: number, to: number): string {
  let text = '';
  let at = from;
  const ordered = elements.toSorted((a, b) => a.target.start - b.target.start || a.start - b.start);
  for (const element of ordered) {
    const start = Math.min(to, Math.max(at, element.target.start));
    const end = Math.min(to, Math.max(start, element.target.end));
    text += clean.slice(at, start);
    text += element.single
      ? `<${element.number}/>`
      : `<${element.number}>${write(element.children, clean, start, end)}</${element.number}>`;
    at = element.single ? start : end;
  }
  return text + clean.slice(at, to);
}
