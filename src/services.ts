/** The parts of a running process, made once by `app.ts`: each route and each worker takes of it what it names. */
import type { KeyUses } from './accounts/key-uses.ts';
import type { Config } from './config.ts';
import type { EngineCatalog } from './engines/catalog.ts';
import type { TargetPolicy } from './events/webhook-target.ts';
import type { Limits } from './limits.ts';
import type { Log } from './platform/log.ts';
import type { Metrics } from './platform/metrics.ts';
import type { Db } from './platform/postgres.ts';
import type { JobQueue } from './platform/queue.ts';
import type { Secrets } from './platform/secrets.ts';
import type { Storage } from './platform/storage/storage.ts';
import type { Tracing } from './platform/tracing.ts';
import type { WorkFolder } from './platform/work-folder.ts';
import type { CorrectionReader } from './reading/correction-reader.ts';
import type { OutputMaker } from './reading/output-maker.ts';
import type { SeriesTermReader } from './reading/series-term-reader.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import type { GlossaryReader } from './tasks/glossary-reader.ts';
import type { SeriesCounter } from './tasks/series-order.ts';
import type { SourceFiles } from './tasks/source-files.ts';
import type { StorageQuota } from './tasks/storage-quota.ts';

export interface Services extends Omit<Secrets, 'fingerprint'> {
  config: Config;
  limits: Limits;
  publicUrl: string | undefined;
  unchargedCharactersPerDay: number;
  log: Log;
  metrics: Metrics;
  otherMetrics: () => readonly object[];
  tracing: Tracing;
  db: Db;
  queue: JobQueue;
  storage: Storage;
  quota: StorageQuota;
  work: WorkFolder;
  sandbox: Sandbox;
  /** What serves live keys. */
  engines: EngineCatalog;
  /** What serves test keys, whatever is configured. */
  sandboxEngines: EngineCatalog;
  sources: SourceFiles;
  seriesCounts: SeriesCounter;
  glossaries: GlossaryReader;
  seriesTerms: SeriesTermReader;
  corrections: CorrectionReader;
  maker: OutputMaker;
  keyUses: KeyUses;
  webhookPolicy: TargetPolicy;
  /** Aborts when the process has been asked to stop. */
  stopping: AbortSignal;
}
