/** The text of a block from its items: numbered tags for elements and things, one space where blanks stand together. */
import type { MarkupElement } from '../markup/markup.ts';

/** What tag number n stands for: `<n>…</n>` an element, `<n/>` a range of the source or a literal text. */
export type InlineTag =
  | { kind: 'element'; element: MarkupElement }
  | { kind: 'range'; start: number; end: number }
  | { kind: 'literal'; text: string };

export type Item =
  | { kind: 'text'; text: string; start: number; end: number }
  | { kind: 'break'; start: number; end: number }
  | { kind: 'void'; start: number; end: number; isSeen: boolean }
  | { kind: 'element'; element: MarkupElement; children: Item[]; start: number; end: number };

export function serialise(items: readonly Item[], preformatted: boolean) {
  const writer = new InlineWriter(preformatted);
  writer.write(items);
  return writer.finish();
}

class InlineWriter {
  readonly #preformatted: boolean;
  #tagged: string[] = [];
  #plain: string[] = [];
  #tags: InlineTag[] = [];
  #literals = 0;
  #pending = '';
  /** Index in #tagged of the last text, to take back a blank before a line break. */
  #lastText = -1;
  #lastCharacter = '\n';

  constructor(preformatted: boolean) {
    this.#preformatted = preformatted;
  }

  write(items: readonly Item[]): void {
    for (const item of items) {
      if (item.kind === 'text') {
        this.#pending += this.#preformatted ? item.text : collapsed(item.text);
        continue;
      }
      this.#flush();
      if (item.kind === 'break') {
        this.#dropBlank();
        this.#put('\n');
      } else if (item.kind === 'void') {
        this.#tags.push({ kind: 'range', start: item.start, end: item.end });
        this.#tagged.push(`<${this.#tags.length}/>`);
        // Blanks on both sides of a picture are two; on both sides of a link target they are one.
        if (item.isSeen) this.#lastCharacter = '\ufffc';
      } else {
        this.#tags.push({ kind: 'element', element: item.element });
        const number = this.#tags.length;
        this.#tagged.push(`<${number}>`);
        this.write(item.children);
        this.#flush();
        this.#tagged.push(`</${number}>`);
      }
    }
  }

  finish() {
    this.#flush();
    this.#dropBlank();
    return {
      text: { tagged: this.#tagged.join(''), plain: this.#plain.join('') },
      tags: this.#tags,
      literals: this.#literals,
    };
  }

  /** Text is written in one piece between tags, so that a literal `<1>` in the manuscript is seen whole. */
  #flush(): void {
    const text = this.#preformatted ? this.#pending : this.#pending.replace(/ {2,}/g, ' ');
    this.#pending = '';
    let at = 0;
    for (const match of text.includes('<') ? text.matchAll(/<\/?\d{1,6}\/?>/g) : []) {
      this.#put(text.slice(at, match.index));
      this.#tags.push({ kind: 'literal', text: match[0] });
      this.#tagged.push(`<${this.#tags.length}/>`);
      this.#literals += match[0].length;
      this.#lastCharacter = '>';
      at = match.index + match[0].length;
    }
    this.#put(text.slice(at));
  }

  #put(text: string): void {
    const startsBlank = text.startsWith(' ') && (this.#lastCharacter === ' ' || this.#lastCharacter === '\n');
    const isFirst = this.#lastText < 0 && this.#tags.every((tag) => tag.kind !== 'literal');
    const blanks = this.#preformatted ? /^(\s*\n)+/ : /^\s+/;
    const kept = isFirst ? text.replace(blanks, '') : startsBlank && !this.#preformatted ? text.slice(1) : text;
    if (kept === '') return;
    this.#lastText = this.#tagged.push(kept) - 1;
    this.#plain.push(kept);
    this.#lastCharacter = kept.at(-1) ?? '';
  }

  #dropBlank(): void {
    if (!/\s/.test(this.#lastCharacter) || this.#lastText < 0) return;
    const last = this.#plain.pop() ?? '';
    const shorter = this.#preformatted ? last.trimEnd() : last.replace(/ $/, '');
    this.#plain.push(shorter);
    this.#tagged[this.#lastText] = shorter;
    this.#lastCharacter = shorter.at(-1) ?? '\n';
  }
}

/** With one space for all blanks that stand together. A single space is left alone, because every word has one. */
function collapsed(text: string): string {
  return /[\t\n\r\f]| {2}/.test(text) ? text.replace(/[\t\n\r\f][ \t\n\r\f]*| [ \t\n\r\f]+/g, ' ') : text;
}
