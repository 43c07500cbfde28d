/** What was typed and not saved yet, kept in this browser: neither a reload nor a lost connection takes it. */
export interface Draft {
  target: string;
  /** What the paragraph said when the typing began. */
  before: string;
}

const prefix = `toledo-draft:${location.pathname}:`;

export function readDraft(blockId: string): Draft | undefined {
  try {
    const draft = JSON.parse(localStorage.getItem(prefix + blockId) ?? 'null') as Draft | null;
    return typeof draft?.target === 'string' && typeof draft.before === 'string' ? draft : undefined;
  } catch {
    return undefined;
  }
}

export function keepDraft(blockId: string, draft: Draft): void {
  try {
    localStorage.setItem(prefix + blockId, JSON.stringify(draft));
  } catch {
    // No room, or none allowed: the text is in the page all the same.
  }
}

export function dropDraft(blockId: string): void {
  localStorage.removeItem(prefix + blockId);
}

/** The ids of the paragraphs that have one. */
export function draftedBlocks(): string[] {
  return Object.keys(localStorage)
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
}
