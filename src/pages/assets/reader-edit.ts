/** Correcting a paragraph in place. Inline tags are chips: they can be moved over, not typed into, and none may be lost. */
import { byId, element } from './dom.ts';
import { blockElement } from './reader-block.ts';
import type { Chapters } from './reader-chapters.ts';
import { type Book, remake, sendCorrection } from './reader-data.ts';
import { editableNodes, editedText, tagsOf } from './reader-text.ts';

export function setUpEditing(book: Book, chapters: Chapters, onChanged: () => Promise<void>): void {
  byId('edit-bar').hidden = false;
  const status = byId('edit-status');
  status.textContent = 'Click a paragraph of the translation to correct it.';
  const start = (target: EventTarget | null) => {
    const cell = (target as Element | null)?.closest?.<HTMLElement>('.target');
    if (cell && !(target as Element).closest('.term, .editor')) edit(cell);
  };
  byId('book').addEventListener('click', (event) => start(event.target));

  const edit = (cell: HTMLElement) => {
    const row = cell.closest<HTMLElement>('.block');
    const block = chapters.blocks.get(row?.id ?? '');
    if (!row || !block || row.querySelector('.editor')) return;
    const area = element(
      'div',
      {
        class: 'area',
        contenteditable: 'true',
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-label': 'Translation',
        spellcheck: 'true',
      },
      ...editableNodes(block.target),
    );
    const fault = element('p', { role: 'alert', class: 'fault' });
    const save = element('button', { type: 'button', class: 'primary' }, 'Save');
    const cancel = element('button', { type: 'button' }, 'Cancel');
    const editor = element('div', { class: 'editor' }, area, fault, element('div', { class: 'row' }, save, cancel));
    const end = () => {
      const fresh = blockElement(chapters.blocks.get(block.id) ?? block, book);
      row.replaceWith(fresh);
      fresh.querySelector<HTMLElement>('.edit')?.focus();
    };
    const store = async () => {
      const target = editedText(area).replace(/\u00a0/g, ' ');
      if (tagsOf(target) !== tagsOf(block.source)) {
        fault.textContent = 'A tag was lost or doubled. Undo the last change, or cancel.';
        return;
      }
      save.disabled = true;
      try {
        const { taken, refusals } = await sendCorrection({ block_id: block.id, source: block.source, target });
        if (refusals[0]) throw new Error(reasons[refusals[0].reason] ?? refusals[0].reason);
        chapters.blocks.set(block.id, { ...block, target, corrected: block.corrected || taken > 0 });
        if (taken > 0) await onChanged();
        end();
      } catch (error) {
        fault.textContent = (error as Error).message;
        save.disabled = false;
      }
    };
    area.addEventListener('paste', (event) => {
      event.preventDefault();
      document.getSelection()?.getRangeAt(0).deleteContents();
      document
        .getSelection()
        ?.getRangeAt(0)
        .insertNode(document.createTextNode(event.clipboardData?.getData('text/plain') ?? ''));
      document.getSelection()?.collapseToEnd();
    });
    area.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') end();
      else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void store();
    });
    save.addEventListener('click', () => void store());
    cancel.addEventListener('click', end);
    cell.replaceChildren(editor);
    area.focus();
  };

  const download = byId<HTMLAnchorElement>('download');
  download.href = 'download';
  download.hidden = !book.has_corrected;
  const make = byId<HTMLButtonElement>('remake');
  make.addEventListener('click', async () => {
    make.disabled = true;
    status.textContent = 'Making the book…';
    try {
      const { file_name } = await remake();
      status.textContent = `${file_name} is ready.`;
      download.hidden = false;
    } catch (error) {
      status.textContent = (error as Error).message;
    } finally {
      make.disabled = false;
    }
  });
}

const reasons: Record<string, string> = {
  DAMAGED_TAGS: 'The inline tags are not those of the paragraph.',
  EMPTY_TARGET: 'A paragraph cannot be empty.',
  UNKNOWN_UNIT: 'This paragraph is no longer in the book.',
};
