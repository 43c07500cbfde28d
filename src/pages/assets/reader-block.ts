import { element } from './dom.ts';
import type { Block, Book } from './reader-data.ts';
import { addRuby } from './reader-ruby.ts';
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
