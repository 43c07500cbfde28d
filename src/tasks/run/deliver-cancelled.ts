/** The files of a task that was cancelled when a part of it was finished: what was charged is delivered. */

import { AppError } from '../../errors.ts';
import type { Log } from '../../platform/log.ts';
import { isDatabaseAway } from '../../platform/postgres.ts';
import type { RunningJob } from '../../platform/queue.ts';
import { readChapters } from '../chapter-store.ts';
import { discardObjects } from '../discard-objects.ts';
import { usualOutputs } from '../output-files.ts';
import { rangeOf } from '../source-files.ts';
import type { Task, TaskOutput } from '../task.ts';
import { insertOutputs, lockTask } from '../task-store.ts';
import { bookBudget } from '../work-budget.ts';
import { type ActionDependencies, bookJobs, doneOr } from './actions.ts';
import { Fenced } from './attempt.ts';
import { countDeliveryFault, findUndelivered, setDelivered } from './attempt-store.ts';
import type { FinishedHost } from './book-host.ts';
import type { TranslatedBook } from './book-jobs.ts';
import { loadRecords } from './checkpoint-store.ts';
import { OutputStore } from './store-outputs.ts';

const maxFaults = 5;

/** Nothing to do when the task has ended otherwise. Throws only when the job itself should be tried again by the queue. */
export async function deliverCancelled(deps: ActionDependencies & { log: Log }, job: RunningJob): Promise<void> {
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
    await deliver(deps, job, task, [], {});
  }
}

async function writeAndStore(deps: ActionDependencies & { log: Log }, job: RunningJob, task: Task): Promise<void> {
  const { signal } = job;
  const options = { ...rangeOf(task), signal };
  await deps.sources.withSource(task.sourceKey ?? '', options, async (source, folder) => {
    const edition = { id: task.id, modifiedAt: task.createdAt };
    const asked = task.outputs ?? usualOutputs;
    const work = { source, folder, outputs: asked, edition, targetLang: task.targetLang ?? 'en' };
    // Another number than that of any worker that had the task, so that none of them can overwrite these files.
    const attempt = { taskId: task.id, number: task.attempt + 1 };
    const outputs = new OutputStore({ deps, task, attempt, folder, signal });
    const budget = { ...bookBudget(source, task.charCount, 0), signal, host: hostOf(deps, task, outputs) };
    const written = deps.children
      .run(bookJobs, 'writeFinished', work, budget)
      .finally(() => outputs.all().catch(() => {}));
    const book: TranslatedBook = doneOr(await written);
    const stored = await outputs.all();
    const { quality, coverage, warnings } = book;
    const kept = await deliver(deps, job, task, stored, { quality, coverage, warnings });
    if (!kept)
      await discardObjects(
        deps,
        stored.map(({ storageKey }) => storageKey),
      );
  });
}

/** False when the text of the task was removed meanwhile. */
async function deliver(
  { db }: ActionDependencies,
  job: RunningJob,
  task: Task,
  outputs: readonly TaskOutput[],
  result: Record<string, unknown>,
): Promise<boolean> {
  return await db.transaction().execute(async (trx) => {
    const { purgedAt } = await lockTask(trx, task.id);
    if (!purgedAt && (await setDelivered(trx, task.id, result))) await insertOutputs(trx, task.id, outputs);
    await job.complete(trx);
    return purgedAt === undefined;
  });
}

function hostOf({ db }: ActionDependencies, task: Task, outputs: OutputStore): FinishedHost {
  return {
    store: async (file) => outputs.add(file),
    loadRecords: (after) => loadRecords(db, task.id, after),
    async loadChapters(from) {
      const chapters = await readChapters(db, task.id, from, 10);
      return chapters.map(({ content }) => content);
    },
  };
}
