/** What a worker process does: takes jobs, and cleans up. */

import { type RunTaskDependencies, runTask } from './books/run-task.ts';
import type { Config } from './config.ts';
import type { EngineCatalog } from './engines/catalog.ts';
import { type DeliverySettings, startDeliveries } from './events/deliveries.ts';
import type { Log } from './platform/log.ts';
import type { Metrics } from './platform/metrics.ts';
import type { Db } from './platform/postgres.ts';
import type { JobQueue } from './platform/queue.ts';
import type { Storage } from './platform/storage/storage.ts';
import type { Tracing } from './platform/tracing.ts';
import type { Signs } from './platform/watchdog.ts';
import { WeightGate } from './platform/weight-gate.ts';
import type { WorkFolder } from './platform/work-folder.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import type { SourceFiles } from './tasks/source-files.ts';
import { startSweeper } from './tasks/sweeper.ts';

export interface WorkerOptions {
  config: Config;
  engines: EngineCatalog;
  sandboxEngines: EngineCatalog;
  metrics: Metrics;
  db: Db;
  queue: JobQueue;
  storage: Storage;
  sources: SourceFiles;
  sandbox: Sandbox;
  work: WorkFolder;
  log: Log;
  tracing: Tracing;
  webhooks: DeliverySettings;
}

export interface WorkerLoops {
  signs: () => Signs;
  /** Ends the deliveries and the cleaning up; the queue ends its jobs itself. */
  stop: () => Promise<void>;
}

/** Starts working. */
export async function startWorker({
  config,
  engines,
  sandboxEngines,
  metrics,
  db,
  queue,
  storage,
  sources,
  sandbox,
  work,
  log,
  tracing,
  webhooks,
}: WorkerOptions): Promise<WorkerLoops> {
  const deps: RunTaskDependencies = {
    db,
    queue,
    storage,
    sources,
    sandbox,
    log,
    tracing,
    metrics,
    engines,
    sandboxEngines,
    gate: new WeightGate(config.workerCharacters),
    segmentConcurrency: Math.max(4, config.engineConcurrency),
    segmentOrder: config.order,
  };
  await queue.work({ short: config.workerShortTasks, book: config.workerBooks }, (job) => runTask(deps, job));
  const deliveries = startDeliveries(webhooks, metrics, log);
  const stopSweeper = startSweeper({ db, queue, storage, work, retentionDays: config.retentionDays, log });
  return {
    signs: () => ({ ...queue.signs(), webhooks: deliveries.rounds() }),
    stop: async () => void (await Promise.all([deliveries.stop(), stopSweeper()])),
  };
}
