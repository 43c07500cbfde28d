/** What a run knows of earlier ones: blocks by their text, and the series that the task belongs to. */
import type { Checkpoint, CheckpointRecord } from '../checkpoint.ts';
import type { Grade } from './choose.ts';
import type { FindRemembered } from './recall.ts';
import type { SeriesState, TermsBefore } from './series-terms.ts';

export type FrozenRecord = Extract<CheckpointRecord, { kind: 'frozen' }>;

export interface BookMemory {
  find: FindRemembered;
  /** What the task may get: not a draft where it accepts none. */
  accepted: ReadonlySet<Grade>;
  series?: SeriesAccess | undefined;
}

export interface SeriesAccess {
  read(): Promise<SeriesState & TermsBefore>;
  /**
   * Saves the frozen terms and adds new ones to the series, in one step.
   * @returns the series as it is now when somebody else changed its terms since `version`: nothing was saved then
   */
  freeze(version: number, record: FrozenRecord): Promise<SeriesState | undefined>;
}

/** The series as it was when the task began. */
export async function seriesStateOf(
  series: SeriesAccess,
  saved: readonly CheckpointRecord[],
  save: Checkpoint['save'],
): Promise<SeriesState & TermsBefore> {
  const savedSeries = saved.find((record) => record.kind === 'series');
  if (savedSeries !== undefined) return savedSeries.state;
  const state = await series.read();
  await save({ kind: 'series', key: 'series', state });
  return state;
}
