/** Engines that cannot be called: what every operator must see at once, and what a partner is told whose task waits for them. */
import type { EngineCatalog } from '../engines/catalog.ts';
import { shared } from '../platform/lazily.ts';
import type { Db } from '../platform/postgres.ts';
import type { ShownTask } from '../tasks/task.ts';
import type { StageDetail } from '../tasks/task-view.ts';
import { type EngineState, readEngineStates } from './engine-state-store.ts';

/** However many partners poll, the states are read this often. */
const freshMs = 1_000;

/** Why a pending task does not get on, without the names of engines. */
export function createStageDetails({ db, engines }: { db: Db; engines: EngineCatalog }) {
  const statesNow = shared(() => readEngineStates(db).catch(() => []), freshMs);
  return async (task: ShownTask): Promise<StageDetail | undefined> => {
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
  const seen = states.filter(({ engine }) => serving.some(({ name }) => name === engine));
  if (seen.length === 0 || !seen.every((each) => isDown(each) || each.overBudget)) return undefined;
  return seen.every(({ overBudget }) => overBudget) ? 'budget' : 'down';
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

/** One sentence for each engine that no worker, or only some of them, can call. */
export function engineAlerts(states: readonly EngineState[]): string[] {
  return [...new Set(states.map(({ engine }) => engine))].flatMap((engine) => {
    const seen = states.filter((each) => each.engine === engine);
    const spent = seen.some(({ overBudget }) => overBudget);
    const down = seen.filter(isDown);
    if (spent)
      return [`${engine} has used up its budget of the day; tasks wait for the next day (UTC) or a higher budget.`];
    if (down.length === 0) return [];
    const where = down.length < seen.length ? ` for ${down.length} of ${seen.length} workers` : '';
    const said = down.find(({ lastFault }) => lastFault !== undefined)?.lastFault;
    return [`${engine} is down${where}; its tasks wait${said === undefined ? '.' : `: ${said}`}`];
  });
}

/** Also while it is asked again: a server that hangs would seem to work for as long as each of these calls lasts. */
function isDown({ state }: EngineState): boolean {
  return state !== 'closed';
}
