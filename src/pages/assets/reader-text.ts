/** A paragraph's text as nodes: inline tags as runs and chips, names and terms as buttons. */
import { element } from './dom.ts';
import type { Term } from './reader-data.ts';

const tags = /<(\/?)(\d{1,6})(\/?)>/g;

export interface Marked {
  index: number;
  forms: string[];
}

/** For reading: a tagged run is a span, so that its limits can be shown; a thing without text is a dot. */
export function readableNodes(text: string, marked: readonly Marked[], italics: readonly number[] = []): Node[] {
  const root = element('span');
  const open: { number: string; node: HTMLElement }[] = [];
  const top = () => open.at(-1)?.node ?? root;
  for (const piece of pieces(text)) {
    if (typeof piece === 'string') top().append(...withTerms(piece, marked));
    else if (piece.kind === 'standalone')
      top().append(element('span', { class: 'thing', title: 'Image, note or break' }, '◦'));
    else if (piece.kind === 'open') {
      const node = italics.includes(Number(piece.number)) ? element('i') : element('span', { class: 'run' });
      top().append(node);
      open.push({ number: piece.number, node });
    } else {
      const at = open.findLastIndex(({ number }) => number === piece.number);
      if (at >= 0) open.length = at;
    }
  }
  return [...root.childNodes];
}

/** For editing: every tag is a chip that cannot be typed into. */
export function editableNodes(text: string): Node[] {
  return pieces(text).map((piece) =>
    typeof piece === 'string'
      ? document.createTextNode(piece)
      : element(
          'span',
          { class: 'chip', contenteditable: 'false', 'data-tag': piece.raw },
          piece.raw.replace(/[<>]/g, ''),
        ),
  );
}

/** What an edited paragraph says, with its tags. */
export function editedText(node: Node): string {
  if (node instanceof HTMLElement && node.dataset.tag !== undefined) return node.dataset.tag;
  if (node instanceof HTMLBRElement) return '\n';
  if (node.nodeType === Node.TEXT_NODE) return node.textContent ?? '';
  return [...node.childNodes].map(editedText).join('');
}

export function tagsOf(text: string): string {
  return [...text.matchAll(tags)]
    .map(([raw]) => raw)
    .sort()
    .join(' ');
}

type Piece = string | { kind: 'open' | 'close' | 'standalone'; number: string; raw: string };

function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(tags)) {
    const [raw, before, number = '', after] = match;
    if (before && after) continue;
    if (match.index > end) found.push(text.slice(end, match.index));
    found.push({ kind: before ? 'close' : after ? 'standalone' : 'open', number, raw });
    end = match.index + raw.length;
  }
  if (end < text.length) found.push(text.slice(end));
  return found;
}

function withTerms(text: string, marked: readonly Marked[]): Node[] {
  const forms = marked
    .flatMap(({ index, forms }) => forms.map((form) => ({ index, form })))
    .filter(({ form }) => form !== '');
  if (forms.length === 0) return [document.createTextNode(text)];
  forms.sort((a, b) => b.form.length - a.form.length);
  const pattern = new RegExp(forms.map(({ form }) => bounded(form)).join('|'), 'giu');
  const nodes: Node[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const word = match[0].toLowerCase();
    const own = forms.find(({ form }) => form.toLowerCase() === word);
    if (!own) continue;
    if (match.index > end) nodes.push(document.createTextNode(text.slice(end, match.index)));
    nodes.push(element('button', { type: 'button', class: 'term', 'data-term': String(own.index) }, match[0]));
    end = match.index + match[0].length;
  }
  if (end < text.length) nodes.push(document.createTextNode(text.slice(end)));
  return nodes;
}

/** Whole words, where the script has words. */
function bounded(form: string): string {
  const escaped = form.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  const hasWords = !/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]/u.test(form);
  return hasWords ? `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])` : escaped;
}

export function markedTerms(terms: readonly Term[], own: readonly number[], side: 'source' | 'target'): Marked[] {
  return own.flatMap((index) => {
    const term = terms[index];
    return term === undefined
      ? []
      : [{ index, forms: side === 'source' ? [term.source, ...term.aliases] : [term.target] }];
  });
}
