import { element } from './dom.ts';
import type { Block, Book, Ruby } from './reader-data.ts';
import { markedTerms, readableNodes } from './reader-text.ts';

const states: Record<string, string> = {
  kept: 'Kept as it is: nothing to translate',
  failed: 'Not translated, not charged',
  corrected: 'Corrected',
  approved: 'Approved',
};

/** One paragraph: source, translation, and what there is to say about it. */
export function blockElement(block: Block, book: Book): HTMLElement {
  const { id, kind } = block;
  const state = stateOf(block);
  // With a mouse only: for the keyboard there is a key, and no stop at every paragraph.
  const link = { class: 'permalink', href: `#${id}`, tabindex: '-1', 'aria-label': `Link to paragraph ${id.slice(1)}` };
  const notes = [states[state], ...block.notes].filter((note) => note !== undefined);
  const aside = { class: `note ${levelOf(block)}`, 'aria-label': 'Note' };
  return element(
    'div',
    { class: `block ${kind}`, id, 'data-state': state },
    side(block, book, 'source'),
    side(block, book, 'target'),
    element('a', link, '¶'),
    ...(notes.length > 0 ? [element('aside', aside, ...notes.map((note) => element('p', {}, note)))] : []),
  );
}

function stateOf(block: Block): 'corrected' | 'approved' | Block['state'] {
  if (block.corrected) return 'corrected';
  return block.approved ? 'approved' : block.state;
}

/** What a person has looked at is no longer a warning. */
function levelOf(block: Block): string {
  if (block.corrected || block.approved) return 'good';
  if (block.state === 'failed') return 'bad';
  return block.notes.length > 0 ? 'warn' : 'plain';
}

function side(block: Block, book: Book, which: 'source' | 'target'): HTMLElement {
  const lang = which === 'source' ? book.source_lang : book.target_lang;
  const rtl = which === 'source' ? book.source_rtl : book.target_rtl;
  const cell = element('div', {
    class: which,
    lang: which === 'target' && block.state === 'failed' ? book.source_lang : lang,
    dir: rtl ? 'rtl' : 'ltr',
  });
  cell.append(...readableNodes(block[which], markedTerms(book.terms, block.terms, which), block.italics));
  if (block.italics?.includes(0)) cell.classList.add('italic');
  if (which === 'source' && block.ruby) addRuby(cell, block.ruby);
  // For the keyboard; with a mouse a click anywhere in the paragraph will do.
  if (which === 'target' && book.editable) {
    cell.classList.add('editable');
    const hint = element('span', { class: 'visually-hidden' }, ` paragraph ${block.id.slice(1)}`);
    cell.append(element('button', { type: 'button', class: 'edit' }, 'Edit', hint));
  }
  return cell;
}

/** A word that a tag or a name cuts in two keeps its text and loses its reading. The ones after it are found all the same. */
const lookAhead = 4;

function addRuby(cell: HTMLElement, readings: readonly Ruby[]): void {
  cell.classList.add('has-ruby');
  const left = [...readings];
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) annotate(text, left);
}

function annotate(text: Text, left: Ruby[]): void {
  let rest = text;
  for (;;) {
    const places = left.slice(0, lookAhead).map(({ base }) => rest.data.indexOf(base));
    const next = places.findIndex((at) => at >= 0);
    const ruby = left[next];
    if (!ruby) return;
    left.splice(0, next + 1);
    const word = rest.splitText(places[next] as number);
    rest = word.splitText(ruby.base.length);
    const annotated = element('ruby');
    word.replaceWith(annotated);
    annotated.append(word, element('rt', {}, ruby.reading));
  }
}
