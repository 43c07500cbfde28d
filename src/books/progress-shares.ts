/** Which share of the progress each part of the work fills. */
import type { Action } from '../tasks/task.ts';

/** The source is read and its language known. */
export const sourceRead = 0.01;
/** The text is analysed; segments are translated from here on. */
export const translatingFrom = 0.05;
/** Everything is translated; what follows is writing and storing. */
export const translatingTo = 0.97;

/** Of a translation the analysis is the beginning, of an extraction it is all. */
export function analysisProgress(action: Action, share: number): number {
  const end = action === 'glossary_extraction' ? translatingTo : translatingFrom;
  return sourceRead + (end - sourceRead) * share;
}
