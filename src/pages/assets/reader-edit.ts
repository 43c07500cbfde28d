/**
 * Correcting paragraphs in place, one at a time. What was typed is saved when its paragraph is left, and kept as a draft until it is
 * saved.
 */
import { button, byId, element } from './dom.ts';
import { blockElement } from './reader-block.ts';
import type { Chapters } from './reader-chapters.ts';
import { type Block, type Book, Refusal, readHistory, sendCorrection } from './reader-data.ts';
import { editableNodes, editedText, tagsOf } from './reader-text.ts';

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

/** The editor of one paragraph. Inline tags are chips: they can be moved over, not typed into, and none may be lost. */
class ParagraphEditor {
  readonly element: HTMLElement;
  /** What the paragraph said when it was opened, or when its draft was begun. */
  before: string;
  /** Another text is there meanwhile, and the person has not decided yet. */
  isInConflict = false;
  onSave = (): void => {};
  onCancel = (): void => {};
  readonly #area: HTMLElement;
  readonly #fault = element('p', { role: 'alert', class: 'fault' });
  readonly #aside = element('div', { class: 'versions' });
  readonly #save = button({ class: 'primary' }, () => this.onSave(), 'Save');

  constructor(block: Block, draft: Draft | undefined, onDraft: (draft: Draft) => void) {
    this.before = draft?.before ?? block.target;
    this.#area = element(
      'div',
      {
        class: 'area',
        contenteditable: 'true',
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-label': 'Translation',
        spellcheck: 'true',
      },
      ...editableNodes(draft?.target ?? block.target),
    );
    if (draft) this.#fault.textContent = 'This is your text from before, which was not saved yet.';
    const cancel = button({}, () => this.onCancel(), 'Cancel');
    const versions = button({}, () => this.#showVersions(block.id), 'Earlier versions');
    const row = element('div', { class: 'row' }, this.#save, cancel, versions);
    this.element = element('div', { class: 'editor' }, this.#area, this.#fault, row, this.#aside);
    this.#area.addEventListener('input', () => onDraft({ target: this.text, before: this.before }));
    this.#area.addEventListener('paste', (event) => pasteText(event));
    this.#area.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.onCancel();
      else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.onSave();
    });
  }

  get text(): string {
    return editedText(this.#area).replace(/\u00a0/g, ' ');
  }

  set text(target: string) {
    this.#area.replaceChildren(...editableNodes(target));
    this.#area.dispatchEvent(new Event('input'));
    this.focus();
  }

  get isChanged(): boolean {
    return this.text !== this.before;
  }

  set isBusy(busy: boolean) {
    this.#save.disabled = busy;
  }

  focus(): void {
    this.#area.focus();
    // With its buttons, which the bar at the foot would cover.
    this.element.scrollIntoView({ block: 'nearest' });
  }

  /** Says why nothing was saved. */
  fail(message: string): false {
    this.#fault.textContent = message;
    return false;
  }

  /** Both texts: the person decides which one holds. */
  showConflict(current: string): false {
    this.before = current;
    this.isInConflict = true;
    const theirs = version('Theirs', current, 'Take theirs', () => {
      this.isInConflict = false;
      this.text = current;
    });
    const mine = version('Yours', this.text, 'Save yours', () => this.onSave());
    this.#aside.replaceChildren(theirs, mine);
    return this.fail('Changed meanwhile: somebody else has corrected this paragraph. Nothing of yours is lost.');
  }

  async #showVersions(blockId: string): Promise<void> {
    try {
      const { machine, earlier } = await readHistory(blockId);
      const take = (text: string) => () => {
        this.text = text;
      };
      this.#aside.replaceChildren(
        version('The machine’s text', machine, 'Restore the machine’s text', take(machine)),
        ...earlier.map(({ text, saved_at }) =>
          version(new Date(saved_at).toLocaleString(), text, 'Take this text', take(text)),
        ),
      );
    } catch (error) {
      this.fail((error as Error).message);
    }
  }
}

function version(title: string, text: string, action: string, onTake: () => void): HTMLElement {
  const heading = element('strong', {}, title);
  const body = element('p', {}, ...editableNodes(text));
  return element('div', { class: 'version' }, heading, body, button({}, onTake, action));
}

function pasteText(event: ClipboardEvent): void {
  event.preventDefault();
  const range = document.getSelection()?.getRangeAt(0);
  range?.deleteContents();
  range?.insertNode(document.createTextNode(event.clipboardData?.getData('text/plain') ?? ''));
  document.getSelection()?.collapseToEnd();
}

/** What was typed and not saved yet, kept in this browser: neither a reload nor a lost connection takes it. */
interface Draft {
  target: string;
  /** What the paragraph said when the typing began. */
  before: string;
}

const prefix = `toledo-draft:${location.pathname}:`;

function readDraft(blockId: string): Draft | undefined {
  try {
    const draft = JSON.parse(localStorage.getItem(prefix + blockId) ?? 'null') as Draft | null;
    return typeof draft?.target === 'string' && typeof draft.before === 'string' ? draft : undefined;
  } catch {
    return undefined;
  }
}

function keepDraft(blockId: string, draft: Draft): void {
  try {
    localStorage.setItem(prefix + blockId, JSON.stringify(draft));
  } catch {
    // No room, or none allowed: the text is in the page all the same.
  }
}

function dropDraft(blockId: string): void {
  localStorage.removeItem(prefix + blockId);
}

/** The ids of the paragraphs that have one. */
function draftedBlocks(): string[] {
  return Object.keys(localStorage)
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
}
