/** Who edits a book, and what came of it. */
import type { EditResult, EngineCapabilities, TranslateRequest } from '../engines/engine.ts';

export type Edit = (request: TranslateRequest, options: { signal: AbortSignal }) => Promise<EditResult>;

export interface BookEditor {
  edit: Edit;
  capabilities: EngineCapabilities;
}

/** What came of the pass. */
export interface Editing {
  /** Changed lines. */
  offered: number;
  taken: number;
  dropped: number;
  /** Where changes were dropped, once each. */
  droppedIn: string[];
  /** Source characters that the editor has read, and those it has not. */
  readCharacters: number;
  unreadCharacters: number;
}
