/** Why a pending task does not get on: told to the partner, without the names of engines. */
import type { EngineCatalog } from '../engines/catalog.ts';
import type { Db } from '../platform/postgres.ts';
import type { ShownTask } from '../tasks/task.ts';
import type { StageDetail } from '../tasks/task-view.ts';
import { type EngineState, readEngineStates } from './engine-state-store.ts';

/** However many partners poll, the states are read this often. */
const freshMs = 1_000;

export function createStageDetails({
  db,
  engines,
}: {
  db: Db;
  engines: EngineCatalog;
}): (task: ShownTask) => Promise<StageDetail | undefined> {
  let read: { at: number; states: Promise<EngineState[]> } | undefined;
  const statesNow = (): Promise<EngineState[]> => {
    if (read === undefined || performance.now() - read.at > freshMs)
      read = { at: performance.now(), states: readEngineStates(db).catch(() => []) };
    return read.states;
  };
  return async (task) => {
    if (task.status !== 'pending') return undefined;
    const blocked = task.sandbox ? undefined : blockOf(task, engines, await statesNow());
    if (blocked !== undefined) return details[blocked];
    return task.stage === 'queued' ? details.worker : undefined;
  };
}

/** Undefined while one engine that serves the pair can be called. */
function blockOf(
  task: ShownTask,
  engines: EngineCatalog,
  states: readonly EngineState[],
): 'down' | 'budget' | undefined {
  const { targetLang } = task;
  if (targetLang === undefined) return undefined;
  const sourceLang = task.sourceLang === 'auto' ? task.detectedLang : task.sourceLang;
  const serving = sourceLang === undefined ? engines.engines() : engines.enginesFor({ sourceLang, targetLang });
  const seen = serving
    .map(({ name }) => states.filter(({ engine }) => engine === name))
    .filter((each) => each.length > 0);
  if (seen.length === 0 || !seen.every((each) => each.every(isBlocked))) return undefined;
  return seen.flat().every(({ overBudget }) => overBudget) ? 'budget' : 'down';
}

export function isBlocked({ state, overBudget }: Pick<EngineState, 'state' | 'overBudget'>): boolean {
  return state === 'open' || overBudget;
}

const details: Readonly<Record<'worker' | 'down' | 'budget', StageDetail>> = {
  worker: { code: 'WAITING_FOR_WORKER', message: 'The task waits for its turn.' },
  down: {
    code: 'ENGINE_UNAVAILABLE',
    message:
      'The translation engine does not answer. The task goes on by itself when it does; finished parts are kept.',
  },
  budget: {
    code: 'ENGINE_BUDGET',
    message:
      'The translation engine is paused until the operator raises its budget, or until the next day begins (UTC).',
  },
};
