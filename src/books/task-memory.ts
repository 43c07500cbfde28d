/** What is remembered for a task, and what a completed one leaves to later ones: with its series, or with its account outside of series. */
import type { EngineCatalog } from '../engines/catalog.ts';
import type { EngineCapabilities } from '../engines/engine.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import {
  findFitting,
  findMemory,
  type MemoryOwner,
  moveBlocks,
  openMemory,
  rememberBlocks,
} from '../series/memory-store.ts';
import { addToSheet } from '../series/sheet-store.ts';
import { addToStory } from '../series/term-store.ts';
import { isPaidBefore } from '../tasks/price.ts';
import type { RememberingTask } from '../tasks/series-order.ts';
import type { Task } from '../tasks/task.ts';
import type { BlockPlace } from '../translation/memory/block-keys.ts';
import type { Grade, Remembered } from '../translation/memory/choose.ts';
import type { ActionOutcome } from './action-outcome.ts';

/** What a process that has the text of a book asks about the memory. */
export interface MemoryHost {
  enginesFor(pair: LanguagePair): Promise<PairEngines>;
  /** What is remembered for some texts, by text key. */
  findRemembered(question: RememberedQuestion): Promise<ReadonlyMap<string, Remembered[]>>;
}

export interface LanguagePair {
  sourceLang: string;
  targetLang: string;
}

export interface PairEngines {
  /** In order of preference; empty when no engine serves the pair. */
  capabilities: EngineCapabilities[];
  policy: string;
  /** Who edits what they have translated. */
  editor: EngineCapabilities | undefined;
}

export interface RememberedQuestion {
  places: readonly BlockPlace[];
  /** What the task may get. */
  grades: readonly Grade[];
}

export function memoryOf({ accountId, sandbox, seriesId }: RememberingTask): MemoryOwner {
  return { accountId, sandbox, seriesId };
}

export function pairEngines(
  catalog: Pick<EngineCatalog, 'enginesFor' | 'editorFor'>,
  pair: LanguagePair,
  withoutDrafts: boolean,
): PairEngines {
  const able = catalog.enginesFor({ ...pair, withoutDrafts });
  return {
    capabilities: able.map((engine) => engine.capabilities),
    policy: able.map((engine) => `${engine.name}@${engine.revision}`).join(','),
    editor: catalog.editorFor(pair)?.capabilities,
  };
}

/** One indexed query for all of them, and a second one for lines that stand in very many places. */
export function taskMemory(db: Db, task: RememberingTask): MemoryHost['findRemembered'] {
  let found: ReturnType<typeof findMemory> | undefined;
  return async ({ places, grades }) => {
    found ??= findMemory(db, memoryOf(task));
    const memory = await found;
    if (memory === undefined) return new Map();
    const rows = await findFitting(db, task.accountId, memory.id, places, grades);
    const blocks = rows.map(({ text, task: earlier, ...row }) => ({ text, ...row, free: isPaidBefore(task, earlier) }));
    // What is paid for comes first: of equal translations that one is taken.
    const inOrder = blocks.toSorted((a, b) => Number(b.free) - Number(a.free));
    return Map.groupBy(inOrder, ({ text }) => text);
  };
}

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
