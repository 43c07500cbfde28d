/** The parts of a running process, made once by `app.ts`: each route and each worker takes of it what it names. */

import type { Config } from './config.ts';
import type { EngineCatalog } from './engines/catalog.ts';
import type { TargetPolicy } from './events/webhook-target.ts';
import type { Platform } from './platform/platform.ts';
import type { Secrets } from './platform/secrets.ts';
import type { CorrectionReader } from './reading/correction-reader.ts';
import type { OutputMaker } from './reading/output-maker.ts';
import type { SeriesTermReader } from './reading/series-term-reader.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import type { GlossaryReader } from './tasks/glossary-reader.ts';
import type { SeriesCounter } from './tasks/series-order.ts';
import type { SourceFiles } from './tasks/source-files.ts';
import type { StorageQuota } from './tasks/storage-quota.ts';

type OfConfig = 'limits' | 'publicUrl' | 'unchargedCharactersPerDay';

export interface Services extends Omit<Secrets, 'fingerprint'>, Platform, Pick<Config, OfConfig> {
  config: Config;
  otherMetrics: () => readonly object[];
  quota: StorageQuota;
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
  webhookPolicy: TargetPolicy;
  /** Aborts when the process has been asked to stop. */
  stopping: AbortSignal;
}
