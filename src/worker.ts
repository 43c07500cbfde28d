/** What a worker process does: takes jobs, and cleans up. */
import type { Config } from './config.ts';
import type { EngineCatalog } from './engines/catalog.ts';
import { type DeliverDependencies, deliver } from './events/deliver.ts';
import { maxInFlightPerWebhook } from './events/webhook.ts';
import type { BoundedChildren } from './platform/bounded-children.ts';
import type { Log } from './platform/log.ts';
import type { Metrics } from './platform/metrics.ts';
import type { Db } from './platform/postgres.ts';
import type { JobQueue } from './platform/queue.ts';
import type { Storage } from './platform/storage/storage.ts';
import type { Tracing } from './platform/tracing.ts';
import { WeightGate } from './platform/weight-gate.ts';
import type { WorkFolder } from './platform/work-folder.ts';
import { type RunTaskDependencies, runTask } from './tasks/run/run-task.ts';
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
  children: BoundedChildren;
  work: WorkFolder;
  log: Log;
  tracing: Tracing;
  webhooks: Pick<DeliverDependencies, 'secretKey' | 'policy'>;
}

/** Sixty endpoints that never answer leave room for others; a request that waits costs a socket and little else. */
const deliveriesAtOnce = 256;

/** Starts working; the returned function ends the cleaning up (the queue ends its jobs itself). */
export async function startWorker({
  config,
  engines,
  sandboxEngines,
  metrics,
  db,
  queue,
  storage,
  sources,
  children,
  work,
  log,
  tracing,
  webhooks,
}: WorkerOptions): Promise<() => Promise<void>> {
  const deps: RunTaskDependencies = {
    db,
    queue,
    storage,
    sources,
    children,
    log,
    tracing,
    metrics,
    engines,
    sandboxEngines,
    gate: new WeightGate(config.workerCharacters),
    segmentConcurrency: Math.max(4, config.engineConcurrency),
  };
  await queue.work({ short: config.workerShortTasks, book: config.workerBooks }, (job) => runTask(deps, job));
  const delivering: DeliverDependencies = { db, queue, metrics, log, ...webhooks };
  queue.workDeliveries({ db, atOnce: deliveriesAtOnce, perWebhook: maxInFlightPerWebhook }, (job) =>
    deliver(delivering, job),
  );
  return startSweeper({ db, queue, storage, work, retentionDays: config.retentionDays, log });
}
