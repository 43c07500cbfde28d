/** The walk through the paragraphs that are most in doubt: `n` and `p` go, `a` approves, and the bar tells how far one is. */
import { byId } from './dom.ts';
import { blockElement } from './reader-block.ts';
import { type Chapters, chapterOf } from './reader-chapters.ts';
import { type Book, sendApproval } from './reader-data.ts';
import { onKey } from './reader-settings.ts';

export interface ReviewTools {
  chapters: Chapters;
  /** Saves what is being typed; false = it could not be saved. */
  saveOpen: () => Promise<boolean>;
  onChanged: () => Promise<void>;
}

/** Returns what shows the state of the book again. */
export function setUpReview(book: Book, { chapters, saveOpen, onChanged }: ReviewTools): () => void {
  const { review } = book;
  const status = byId('review-status');
  const approveButton = byId<HTMLButtonElement>('approve');
  let current = '';

  const draw = () => {
    const seen = lookedAt(book);
    const done = review.filter((id) => seen.has(id)).length;
    const share = review.length === 0 ? 1 : done / review.length;
    byId('review').hidden = review.length === 0 && !book.editable;
    byId('review').style.setProperty('--share', String(share));
    status.textContent =
      review.length === 0
        ? 'No paragraph is in doubt.'
        : `${done.toLocaleString('en')} of ${review.length.toLocaleString('en')} doubtful paragraphs looked at: ${Math.floor(share * 100)} %`;
    choose(current);
  };

  const choose = (id: string) => {
    document.getElementById(current)?.classList.remove('current');
    current = id;
    document.getElementById(id)?.classList.add('current');
    const block = chapters.blocks.get(id);
    approveButton.disabled = block === undefined || block.corrected;
    approveButton.setAttribute('aria-pressed', String(block?.approved === true));
  };

  const goTo = async (id: string | undefined) => {
    if (id === undefined || !(await saveOpen())) return;
    await chapters.goTo(chapterOf(book, id), id);
    choose(id);
    document.getElementById(id)?.querySelector<HTMLElement>('.edit')?.focus({ preventScroll: true });
  };
  const next = () => {
    const seen = lookedAt(book);
    const from = review.indexOf(current) + 1;
    const id = [...review.slice(from), ...review.slice(0, from)].find((each) => !seen.has(each));
    if (id === undefined) status.textContent = 'Every doubtful paragraph has been looked at.';
    else void goTo(id);
  };
  const previous = () => void goTo(review.at(review.indexOf(current) - 1));

  const approve = async () => {
    if (approveButton.disabled || !(await saveOpen())) return;
    const block = chapters.blocks.get(current);
    if (!block || block.corrected) return;
    try {
      const { approved } = await sendApproval({ block_id: current, approved: !block.approved });
      chapters.blocks.set(current, { ...block, approved });
      const fresh = blockElement({ ...block, approved }, book);
      byId(current).replaceWith(fresh);
      fresh.querySelector<HTMLElement>('.edit')?.focus({ preventScroll: true });
      await onChanged();
    } catch (error) {
      status.textContent = (error as Error).message;
    }
  };

  byId('review-next').addEventListener('click', next);
  byId('review-previous').addEventListener('click', previous);
  onKey('l', () => {
    if (chapters.blocks.has(current)) history.replaceState(null, '', `#${current}`);
    status.textContent = chapters.blocks.has(current)
      ? 'The address of this page is a link to the marked paragraph now.'
      : 'No paragraph is marked: click one, or press n.';
  });
  onKey('n', next);
  onKey('p', previous);
  // What somebody clicks or tabs into is what `a` is about.
  for (const event of ['focusin', 'click'] as const)
    byId('book').addEventListener(event, ({ target }) => {
      const row = (target as Element).closest<HTMLElement>('.block');
      if (row && row.id !== current) choose(row.id);
    });
  if (book.editable) {
    approveButton.hidden = false;
    approveButton.addEventListener('click', () => void approve());
    onKey('a', () => void approve());
    onKey('e', () => document.getElementById(current)?.querySelector<HTMLElement>('.edit')?.click());
  }
  draw();
  return draw;
}

/** What a person has corrected or approved. */
function lookedAt({ chapters }: Book): Set<string> {
  return new Set(
    chapters.flatMap(({ marks, first_block }) =>
      [...marks].flatMap((mark, i) => (mark === 'c' || mark === 'a' ? [`b${first_block + i}`] : [])),
    ),
  );
}
