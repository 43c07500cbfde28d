import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Db } from './postgres.ts';
import type { JobQueue } from './queue.ts';
import type { Storage } from './storage/storage.ts';
import type { Tracing } from './tracing.ts';
import type { WorkFolder } from './work-folder.ts';

/** What a running process stands on. Each piece of work takes of it what it names. */
export interface Platform {
  log: Log;
  metrics: Metrics;
  tracing: Tracing;
  db: Db;
  queue: JobQueue;
  storage: Storage;
  work: WorkFolder;
}
