import type { FoundTerm } from '../glossary/extract.ts';
import type { Brief } from '../glossary/extraction-plan.ts';
import type { Term } from '../term.ts';
import type { RecalledBlock } from './memory/choose.ts';
import type { SeriesState, TermsBefore } from './memory/series-terms.ts';
import type { SegmentOutcome } from './segment-outcome.ts';
import type { Sheet } from './sheet.ts';

/** Everything a run needs to go on after a crash, as small records that are saved once and never change. Plain JSON. */
export type CheckpointRecord =
  | { kind: 'extraction'; key: string; characters: number; terms: FoundTerm[]; digest: string }
  | {
      kind: 'frozen';
      key: string;
      terms: Term[];
      brief: Brief;
      chunks: number;
      incompleteChunks: number;
      readCharacters: number;
    }
  /** What the series was when the run began: later changes concern later tasks. */
  | { kind: 'series'; key: string; state: SeriesState & TermsBefore }
  /** Remembered blocks of one part of the book, by block id. */
  | {
      kind: 'recall';
      key: string;
      characters: number;
      /** The part of them that is not charged. */
      paidCharacters: number;
      blocks: Record<string, RecalledBlock>;
    }
  /** Null: nobody wrote one. */
  | { kind: 'sheet'; key: string; sheet: Sheet | null }
  | { kind: 'segment'; key: string; characters: number; outcome: SegmentOutcome }
  /** Changed texts by place in the segment; with `edits` where an editor has changed them. See `revisionKeys`. */
  | { kind: 'revision'; key: string; texts: Record<string, string>; edits?: EditCounts };

export interface EditCounts {
  taken: number;
  /** Places of lines whose changes were not good enough. */
  dropped: number[];
}

export function seamKey(segmentKey: string): string {
  return `seam-${segmentKey}`;
}

export function editKey(segmentKey: string): string {
  return `edit-${segmentKey}`;
}

/** Keys of the records that may have changed a segment since it was translated, in the order of the passes. */
export function revisionKeys(segmentKey: string): string[] {
  return [segmentKey, seamKey(segmentKey), editKey(segmentKey)];
}

export interface Checkpoint {
  /** All records saved so far, in any order. */
  load(): Promise<readonly CheckpointRecord[]>;
  /** Saved for good before the book is done, and never without what was saved before it; `kind` and `key` together are unique within a task. */
  save(record: CheckpointRecord): Promise<void>;
}

/** Changed texts by place, by the key of their record. */
export function revisionsIn(records: readonly CheckpointRecord[]): Map<string, Readonly<Record<string, string>>> {
  return new Map(records.flatMap((each) => (each.kind === 'revision' ? [[each.key, each.texts]] : [])));
}
