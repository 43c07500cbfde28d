/** What a task had finished when it was cancelled: it was charged, so it is delivered, and its series learns it. */

import { AppError } from '../errors.ts';
import type { Platform } from '../platform/platform.ts';
import { isDatabaseAway } from '../platform/postgres.ts';
import type { RunningJob } from '../platform/queue.ts';
import { readChapters } from '../reading/chapter-store.ts';
import { Fenced } from '../tasks/attempt.ts';
import { rangeOf } from '../tasks/source-files.ts';
import { discardObjects } from '../tasks/stored-objects.ts';
import type { Task, TaskOutput } from '../tasks/task.ts';
import { recordDelivery } from '../tasks/task-events.ts';
import { insertOutputs, lockTask } from '../tasks/task-store.ts';
import { bookBudget } from '../tasks/work-budget.ts';
import type { NewMemory } from '../translation/memory/remember.ts';
import { type ActionDependencies, bookJobs, doneOr, filesOf, orderOf } from './actions.ts';
import { countDeliveryFault, findUndelivered, setDelivered } from './attempt-store.ts';
import type { FinishedHost } from './book-host.ts';
import { loadRecords } from './checkpoint-store.ts';
import { OutputStore } from './store-outputs.ts';
import { rememberBook } from './task-memory.ts';

const maxFaults = 5;

/** Nothing to do when the task has ended otherwise. Throws only when the job itself should be tried again by the queue. */
export async function deliverCancelled(
  deps: ActionDependencies & Pick<Platform, 'log'>,
  job: RunningJob,
): Promise<void> {
  const task = await findUndelivered(deps.db, job.taskId);
  if (!task) return await deps.db.transaction().execute((trx) => job.complete(trx));
  try {
    await writeAndStore(deps, job, task);
  } catch (error) {
    // Removed or delivered meanwhile.
    if (error instanceof Fenced) return await deps.db.transaction().execute((trx) => job.complete(trx));
    if (job.signal.aborted || isDatabaseAway(error) || (error instanceof AppError && error.code === 'UNAVAILABLE'))
      throw error;
    deps.log.error({ task: task.id, err: error }, 'what a cancelled task has finished could not be written');
    if ((await countDeliveryFault(deps.db, task.id)) < maxFaults) throw error;
    await deliver(deps, job, task, { outputs: [], memories: [], result: {} });
  }
}

async function writeAndStore(
  deps: ActionDependencies & Pick<Platform, 'log'>,
  job: RunningJob,
  task: Task,
): Promise<void> {
  const { signal } = job;
  const options = { ...rangeOf(task), signal };
  await deps.sources.withSource(task.sourceKey ?? '', options, async (source, folder) => {
    const work = { ...orderOf(task), ...filesOf(task), source, folder, targetLang: task.targetLang ?? 'en' };
    // Another number than that of any worker that had the task, so that none of them can overwrite these files.
    const attempt = { taskId: task.id, number: task.attempt + 1 };
    const outputs = new OutputStore({ deps, task, attempt, folder, signal });
    const memories: NewMemory[] = [];
    const budget = { ...bookBudget(source, task.charCount), signal, host: hostOf(deps, task, outputs, memories) };
    const written = deps.sandbox
      .run(bookJobs, 'writeFinished', work, budget)
      .finally(() => outputs.all().catch(() => {}));
    const { quality, coverage, warnings } = doneOr(await written);
    const stored = await outputs.all();
    const keys = stored.map(({ storageKey }) => storageKey);
    const part = { outputs: stored, memories, result: { quality, coverage, warnings } };
    if (!(await deliver(deps, job, task, part))) await discardObjects(deps, keys);
  });
}

interface DeliveredPart {
  outputs: readonly TaskOutput[];
  memories: NewMemory[];
  result: Record<string, unknown>;
}

/** False when the text of the task was removed meanwhile, or another worker was first. */
async function deliver(
  { db, queue }: ActionDependencies,
  job: RunningJob,
  task: Task,
  { outputs, memories, result }: DeliveredPart,
): Promise<boolean> {
  return await db.transaction().execute(async (trx) => {
    const current = await lockTask(trx, task.id);
    const isDue = current.purgedAt === undefined && current.result.delivery === 'pending';
    await job.complete(trx);
    if (!isDue) return false;
    await rememberBook(trx, task, { memories });
    await insertOutputs(trx, task.id, outputs);
    const delivered = await setDelivered(trx, task.id, result);
    if (outputs.length > 0) await recordDelivery(trx, queue, delivered, outputs);
    return true;
  });
}

function hostOf({ db }: ActionDependencies, task: Task, outputs: OutputStore, memories: NewMemory[]): FinishedHost {
  return {
    store: async (file) => outputs.add(file),
    remember: async (part) => void memories.push(...part),
    loadRecords: (after) => loadRecords(db, task.id, after),
    async loadChapters(from) {
      const chapters = await readChapters(db, task.id, from, 10);
      return chapters.map(({ content }) => content);
    },
  };
}
