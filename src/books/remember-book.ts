/** What a completed task leaves to later ones. */
import type { Trx } from '../platform/postgres.ts';
import { moveBlocks, openMemory, rememberBlocks } from '../series/memory-store.ts';
import { addToSheet } from '../series/sheet-store.ts';
import { addToStory } from '../series/term-store.ts';
import type { Task } from '../tasks/task.ts';
import type { ActionOutcome } from './action-outcome.ts';
import { memoryOf } from './task-memory.ts';

/** "The story so far" of a series. */
const maxStoryCharacters = 1_500;

/** A series that was deleted meanwhile learns nothing. */
export async function rememberBook(
  trx: Trx,
  task: Task,
  { memories = [], paidPlaces = [] }: Pick<ActionOutcome, 'memories' | 'paidPlaces'>,
): Promise<void> {
  if (memories.length === 0 && paidPlaces.length === 0) return;
  const memoryId = await openMemory(trx, memoryOf(task));
  if (memoryId === undefined) return;
  await rememberBlocks(trx, memoryId, memories, task.seriesId === undefined ? task.id : undefined);
  await moveBlocks(trx, memoryId, paidPlaces, task.id);
}

/** Only of a book that was translated whole and has taught something. A series that was deleted meanwhile has no row for it. */
export async function continueStory(trx: Trx, task: Task, outcome: ActionOutcome): Promise<void> {
  const { memories = [], paidPlaces = [], synopsis = '', sheet } = outcome;
  const hasTaught = memories.length > 0 || paidPlaces.length > 0;
  if (task.seriesId === undefined || task.charLimit !== undefined || !hasTaught) return;
  if (synopsis !== '') await addToStory(trx, task.seriesId, synopsis, maxStoryCharacters);
  if (sheet !== undefined) await addToSheet(trx, task.seriesId, sheet);
}
