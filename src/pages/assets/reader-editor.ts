/** The editor of one paragraph. Inline tags are chips: they can be moved over, not typed into, and none may be lost. */
import { button, element } from './dom.ts';
import { type Block, readHistory } from './reader-data.ts';
import type { Draft } from './reader-drafts.ts';
import { editableNodes, editedText } from './reader-text.ts';

export class ParagraphEditor {
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
