/** Replacements on a source string, collected in any order and applied in one pass. */
import { escapeAttribute } from '../../escape.ts';
import type { MarkupElement } from './markup.ts';

interface Edit {
  start: number;
  end: number;
  text: string;
}

export class Edits {
  readonly source: string;
  #edits: Edit[] = [];
  #sorted = true;

  constructor(source: string) {
    this.source = source;
  }

  get isEmpty(): boolean {
    return this.#edits.length === 0;
  }

  /** Replaces a range. An edit that begins inside a range replaced by another one is dropped with it. */
  replace(start: number, end: number, text: string): void {
    const edit = { start, end, text };
    const last = this.#edits.at(-1);
    // Markdown is written forward. To sort anew for each of 20,000 paragraphs took longer than to read them.
    this.#sorted &&= last === undefined || byPlace(last, edit) <= 0;
    this.#edits.push(edit);
  }

  /** Texts inserted at one place stand in the order of the calls, before a range that is replaced from there on. */
  insert(at: number, text: string): void {
    this.replace(at, at, text);
  }

  remove(start: number, end: number): void {
    this.replace(start, end, '');
  }

  /** Takes over all edits of another collection on the same source. */
  addAll(other: Edits): void {
    for (const edit of other.#edits) this.#edits.push(edit);
    this.#sorted = false;
  }

  /** Sets an attribute of a start tag in place, or removes it when `value` is undefined. */
  setAttribute(element: MarkupElement, name: string, value: string | undefined): void {
    if (element.implied) return;
    const span = attributeSpan(this.source, element, name);
    if (span === undefined) {
      if (value === undefined) return;
      const tagName = /^<[^\s/>]+/.exec(this.source.slice(element.start, element.openEnd))?.[0] ?? '';
      this.insert(element.start + tagName.length, ` ${name}="${escapeAttribute(value)}"`);
    } else if (value === undefined) {
      this.remove(span.start, span.end);
    } else {
      this.replace(span.start, span.end, ` ${name}="${escapeAttribute(value)}"`);
    }
  }

  /** The whole source with all edits. */
  apply(): string {
    return this.slice(0, this.source.length);
  }

  /** A part of the source with the edits that lie inside it. */
  slice(start: number, end: number): string {
    this.#sort();
    const parts: string[] = [];
    let at = start;
    for (let i = firstFrom(this.#edits, start, (edit) => edit.start); i < this.#edits.length; i++) {
      const edit = this.#edits[i] as Edit;
      if (edit.start > end || (edit.start === end && edit.end > end)) break;
      if (edit.start < at || edit.end > end) continue;
      parts.push(this.source.slice(at, edit.start), edit.text);
      at = edit.end;
    }
    parts.push(this.source.slice(at, end));
    return parts.join('');
  }

  #sort(): void {
    if (this.#sorted) return;
    this.#edits.sort(byPlace);
    this.#sorted = true;
  }
}

/** At one place insertions come first, then the widest replacement, which swallows the narrower ones. */
function byPlace(a: Edit, b: Edit): number {
  return a.start - b.start || Number(a.start !== a.end) - Number(b.start !== b.end) || b.end - a.end;
}

/** The index of the first of the sorted values that is not before `limit`; found by halving, because a hostile file has a hundred thousand. */
export function firstFrom<T>(sorted: readonly T[], limit: number, placeOf: (value: T) => number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (placeOf(sorted[middle] as T) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where an attribute stands in its start tag, with the blank before it. The tag is known to be well formed. */
export function attributeSpan(
  source: string,
  element: MarkupElement,
  name: string,
): { start: number; end: number } | undefined {
  const tag = source.slice(element.start, element.openEnd);
  const pattern = /\s+([^\s=/>"']+)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?/g;
  pattern.lastIndex = /^<[^\s/>]+/.exec(tag)?.[0].length ?? 0;
  for (let match = pattern.exec(tag); match !== null; match = pattern.exec(tag)) {
    if (match[1] === name || match[1]?.toLowerCase() === name) {
      return { start: element.start + match.index, end: element.start + match.index + match[0].length };
    }
  }
  return undefined;
}
