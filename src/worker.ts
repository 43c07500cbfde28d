/** What a worker process does: takes jobs, and keeps house. */

import { readFileSync } from 'node:fs';
import { type Config, ConfigError } from './config.ts';
import { type CatalogOptions, createEngineCatalog, type EngineCatalog } from './engines/catalog.ts';
import { type EngineSettings, engineFromShortForm, parseEngines } from './engines/engine-settings.ts';
import type { RoutingTuning } from './engines/routing/tuning.ts';
import { createSandboxCatalog } from './engines/sandbox-catalog.ts';
import { AppError } from './errors.ts';
import { type RunTaskDependencies, runTask } from './pipeline/run-task.ts';
import type { Log } from './platform/log.ts';
import type { Metrics } from './platform/metrics.ts';
import type { Db } from './platform/postgres.ts';
import type { JobQueue } from './platform/queue.ts';
import type { Storage } from './platform/storage/storage.ts';
import type { Tracing } from './platform/tracing.ts';
import type { SourceFiles } from './tasks/source-files.ts';
import { startSweeper } from './tasks/sweeper.ts';

export interface WorkerOptions {
  config: Config;
  engines: EngineCatalog;
  metrics: Metrics;
  db: Db;
  queue: JobQueue;
  storage: Storage;
  sources: SourceFiles;
  log: Log;
  tracing: Tracing;
}

/** Starts working; the returned function ends the house-keeping (the queue ends its jobs itself). */
export async function startWorker({
  config,
  engines,
  metrics,
  db,
  queue,
  storage,
  sources,
  log,
  tracing,
}: WorkerOptions): Promise<() => Promise<void>> {
  const deps: RunTaskDependencies = {
    db,
    queue,
    storage,
    sources,
    log,
    tracing,
    metrics,
    engines,
    sandboxEngines: createSandboxCatalog(),
    segmentConcurrency: Math.max(4, config.engineConcurrency),
  };
  await queue.work({ short: config.workerShortTasks, book: config.workerBooks }, (job) => runTask(deps, job));
  return startSweeper({ db, storage, sources, retentionDays: config.retentionDays, log });
}

/**
 * The engines as configured; without any, the sandbox engine, so that everything can be tried at once.
 * @throws ConfigError naming every fault
 */
export function openEngines(config: Config, metrics: Metrics, tuning?: RoutingTuning): EngineCatalog {
  try {
    const settings = engineSettings(config);
    const hooks = engineHooks(metrics);
    const [first, ...others] = settings.engines;
    return first?.kind === 'sandbox' && others.length === 0
      ? createSandboxCatalog({ name: first.name, hooks })
      : createEngineCatalog(settings, { hooks, ...(tuning ? { tuning } : {}) });
  } catch (error) {
    const faults = error instanceof AppError ? (error.details?.faults as string[] | undefined) : undefined;
    const source = config.enginesFile === undefined ? 'TOLEDO_ENGINE' : `TOLEDO_ENGINES (${config.enginesFile})`;
    throw new ConfigError((faults ?? [(error as Error).message]).map((fault) => `${source}: ${fault}`));
  }
}

const breakerValues = { closed: 0, probing: 1, open: 2 } as const;

function engineHooks(metrics: Metrics): NonNullable<CatalogOptions['hooks']> {
  return {
    onCall({ engine, outcome, durationMs, usage }) {
      metrics.engineCalls.inc({ engine, outcome });
      metrics.engineDuration.observe({ engine }, durationMs / 1000);
      if (!usage) return;
      metrics.engineTokens.inc({ engine, kind: 'input' }, usage.inputTokens);
      metrics.engineTokens.inc({ engine, kind: 'cached_input' }, usage.cachedInputTokens);
      metrics.engineTokens.inc({ engine, kind: 'output' }, usage.outputTokens);
    },
    onBreaker({ engine, state }) {
      metrics.engineBreaker.set({ engine }, breakerValues[state]);
    },
  };
}

function engineSettings(config: Config): EngineSettings {
  if (config.enginesFile !== undefined) {
    const named = new Proxy({}, { get: (_target, name) => config.variable(String(name)), has: () => true });
    return parseEngines(readFileSync(config.enginesFile, 'utf8'), named);
  }
  return engineFromShortForm({
    engine: config.engine ?? 'sandbox',
    baseUrl: config.engineBaseUrl,
    apiKey: config.engineApiKey?.reveal(),
    model: config.engineModel,
    concurrency: config.engine === undefined || config.engine === 'sandbox' ? undefined : config.engineConcurrency,
  });
}
