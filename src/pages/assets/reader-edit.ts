/**
 * Correcting paragraphs in place, one at a time. What was typed is saved when its paragraph is left, and kept as a draft until it is
 * saved.
 */
import { byId, element } from './dom.ts';
import { blockElement } from './reader-block.ts';
import type { Chapters } from './reader-chapters.ts';
import { type Block, type Book, Refusal, sendCorrection } from './reader-data.ts';
import { draftedBlocks, dropDraft, keepDraft, readDraft } from './reader-drafts.ts';
import { ParagraphEditor } from './reader-editor.ts';
import { tagsOf } from './reader-text.ts';

/** Returns what saves the paragraph that is open; false = it could not be saved. */
export function setUpEditing(book: Book, chapters: Chapters, onChanged: () => Promise<void>): () => Promise<boolean> {
  byId('foot-status').textContent = hint();
  let open: { editor: ParagraphEditor; leave: () => Promise<boolean> } | undefined;

  const start = async (target: EventTarget | null) => {
    const cell = (target as Element | null)?.closest?.<HTMLElement>('.target');
    if (!cell || (target as Element).closest('.term, .editor')) return;
    const id = cell.closest<HTMLElement>('.block')?.id ?? '';
    if (open && !(await open.leave())) return;
    edit(id);
  };
  byId('book').addEventListener('click', (event) => void start(event.target));
  // Before the click does something else: what it leaves is saved.
  document.addEventListener('pointerdown', (event) => {
    const into = event.target as Element;
    if (open && !into.closest('.editor, .target, .own-terms, .term-card')) void open.leave();
  });
  addEventListener('beforeunload', (event) => {
    if (open?.editor.isChanged) event.preventDefault();
  });

  const edit = (id: string) => {
    const row = byId(id);
    const block = chapters.blocks.get(id);
    const cell = row.querySelector<HTMLElement>('.target');
    if (!block || !cell) return;
    const editor = new ParagraphEditor(block, readDraft(id), (draft) => keepDraft(id, draft));
    const end = (focus = true) => {
      dropDraft(id);
      if (open?.editor === editor) open = undefined;
      const fresh = blockElement(chapters.blocks.get(id) ?? block, book);
      byId(id).replaceWith(fresh);
      if (focus) fresh.querySelector<HTMLElement>('.edit')?.focus();
    };
    const store = async (focus = true): Promise<boolean> => {
      const target = editor.text;
      if (tagsOf(target) !== tagsOf(block.source))
        return editor.fail('A tag was lost or doubled. Undo the last change, or cancel.');
      editor.isBusy = true;
      try {
        const { source } = block;
        const { taken, refusals } = await sendCorrection({ block_id: id, source, target, before: editor.before });
        if (refusals[0]) return editor.fail(reasons[refusals[0].reason] ?? refusals[0].reason);
        chapters.blocks.set(id, changedBlock(block, target, taken > 0));
        end(focus);
        if (taken > 0) await onChanged();
        return true;
      } catch (error) {
        const current = error instanceof Refusal && error.status === 409 ? error.details.current : undefined;
        if (typeof current !== 'string')
          return editor.fail(`${(error as Error).message} Your text is kept in this browser.`);
        chapters.blocks.set(id, changedBlock(block, current, true));
        return editor.showConflict(current);
      } finally {
        editor.isBusy = false;
      }
    };
    const leave = async () => {
      // Going away is no decision between two texts.
      if (editor.isInConflict)
        return editor.fail('Decide first: save your text, or take theirs. Nothing of yours is lost.');
      if (editor.isChanged) return await store(false);
      end(false);
      return true;
    };
    open = { editor, leave };
    editor.onSave = () => void store();
    editor.onCancel = () => end();
    cell.replaceChildren(editor.element);
    row.append(...ownTerms(block, book));
    editor.focus();
  };
  return async () => open === undefined || (await open.leave());
}

function hint(): string {
  const drafts = draftedBlocks().length;
  const usual = 'Click a paragraph of the translation to correct it. It is saved when you leave it.';
  return drafts === 0
    ? usual
    : `${usual} ${drafts === 1 ? 'One paragraph has' : `${drafts} paragraphs have`} text of yours that was not saved: open it again.`;
}

/** The names and terms of the paragraph that is open, beside it. */
function ownTerms(block: Block, { terms, source_lang, target_lang }: Book): HTMLElement[] {
  const rows = block.terms.flatMap((index) => {
    const term = terms[index];
    if (!term) return [];
    const name = element('bdi', { lang: source_lang }, term.source);
    const rendering = element('bdi', { lang: target_lang }, term.target);
    const card = element('button', { type: 'button', class: 'term', 'data-term': String(index) }, name);
    return [element('li', {}, card, ' → ', rendering)];
  });
  return rows.length === 0
    ? []
    : [element('aside', { class: 'own-terms', 'aria-label': 'Terms' }, element('ul', {}, ...rows))];
}

function changedBlock(block: Block, target: string, isChanged: boolean): Block {
  const { machine: translated, ...rest } = block;
  const machine = translated ?? block.target;
  if (!isChanged) return block;
  return target === machine ? { ...rest, target, corrected: false } : { ...rest, target, machine, corrected: true };
}

const reasons: Record<string, string> = {
  DAMAGED_TAGS: 'The inline tags are not those of the paragraph.',
  EMPTY_TARGET: 'A paragraph cannot be empty.',
  UNKNOWN_UNIT: 'This paragraph is no longer in the book.',
};
