/** What a process answers over HTTP, by its role. */
import type { KeyUses } from './accounts/key-uses.ts';
import { type Config, consoleWay, type Role, settingsInWords } from './config.ts';
import { registerConsole } from './console/console.ts';
import type { ConsoleAccess } from './console/session.ts';
import type { EngineCatalog } from './engines/catalog.ts';
import type { EngineFinding } from './engines/check-engines.ts';
import { EngineChoiceError, engineChoice } from './engines/open-engines.ts';
import type { TargetPolicy } from './events/webhook-target.ts';
import { apiPrefix } from './http/api-prefix.ts';
import { admissionOf, createGuard } from './http/guard.ts';
import { registerOpenapi } from './http/openapi.ts';
import { registerAccountRoutes } from './http/routes/account-routes.ts';
import { registerAssetRoutes } from './http/routes/asset-routes.ts';
import { registerChapterRoutes } from './http/routes/chapter-routes.ts';
import { registerCorrectionRoutes } from './http/routes/correction-routes.ts';
import { registerDownloadRoutes } from './http/routes/download-routes.ts';
import { registerEventRoutes } from './http/routes/event-routes.ts';
import { type OperationsRouteDependencies, registerOperationsRoutes } from './http/routes/operations-routes.ts';
import { registerPackageRoutes } from './http/routes/package-routes.ts';
import { registerReaderLinkRoutes } from './http/routes/reader-link-routes.ts';
import { registerReaderRoutes } from './http/routes/reader-routes.ts';
import { registerReferenceRoutes } from './http/routes/reference-routes.ts';
import { registerSeriesRoutes } from './http/routes/series-routes.ts';
import { registerTaskRoutes, taskTurns } from './http/routes/task-routes.ts';
import { registerWebhookRoutes } from './http/routes/webhook-routes.ts';
import { createServer, type Server } from './http/server.ts';
import { listEngines } from './operators/engine-listing.ts';
import { forgetEngineMemory, readEngineMemories } from './operators/engine-memory.ts';
import { checkSystem } from './operators/system-checks.ts';
import { testEngines } from './operators/test-engine.ts';
import { loadPageAssets } from './pages/page-assets.ts';
import { onBehalfOf } from './platform/fair-pool.ts';
import type { Log } from './platform/log.ts';
import type { Metrics } from './platform/metrics.ts';
import type { Database, Db } from './platform/postgres.ts';
import type { JobQueue } from './platform/queue.ts';
import type { Secrets } from './platform/secrets.ts';
import type { Storage } from './platform/storage/storage.ts';
import type { Tracing } from './platform/tracing.ts';
import type { CorrectionReader } from './reading/correction-reader.ts';
import type { SeriesTermReader } from './reading/series-term-reader.ts';
import type { GlossaryReader } from './tasks/glossary-reader.ts';
import type { SeriesCounter } from './tasks/series-order.ts';
import { servedPairs } from './tasks/served-pairs.ts';
import type { SourceFiles } from './tasks/source-files.ts';
import { StorageQuota } from './tasks/storage-quota.ts';

export interface Wiring {
  config: Config;
  log: Log;
  database: Database;
  secrets: Secrets;
  metrics: Metrics;
  engines: EngineCatalog;
  sandboxEngines: EngineCatalog;
  storage: Storage;
  queue: JobQueue;
  sources: SourceFiles;
  seriesCounts: SeriesCounter;
  glossaries: GlossaryReader;
  seriesTerms: SeriesTermReader;
  corrections: CorrectionReader;
  tracing: Tracing;
  /** Aborts when the process has been asked to stop. */
  stopping: AbortSignal;
  webhookPolicy: TargetPolicy;
  otherMetrics: () => readonly object[];
  keyUses: KeyUses;
}

function operationsOf(wiring: Wiring, servesMetrics: boolean): OperationsRouteDependencies {
  const { config, database, metrics, storage, stopping, otherMetrics } = wiring;
  return {
    db: database.db,
    metrics,
    isDraining: () => stopping.aborted,
    otherMetrics,
    // An object store that is away for a moment must not take every API process out of the balancer with it.
    localStorage: config.storage === 'file' ? storage : undefined,
    metricsToken: config.metricsAccess === 'operator-token' ? config.operatorToken : undefined,
    servesMetrics,
  };
}

/** A worker answers health checks only; everything else is the API's. */
export async function registerRoutes(server: Server, wiring: Wiring, role: Role): Promise<void> {
  const {
    config,
    database,
    secrets,
    metrics,
    log,
    engines,
    sandboxEngines,
    storage,
    queue,
    sources,
    seriesCounts,
    glossaries,
    seriesTerms,
    corrections,
    tracing,
    stopping,
    keyUses,
  } = wiring;
  const { db } = database;
  await registerOpenapi(server);
  registerOperationsRoutes(server, operationsOf(wiring, config.metricsPort === undefined));
  if (role !== 'worker') {
    const assets = loadPageAssets();
    registerAssetRoutes(server, assets);
    registerPackageRoutes(server);
    const quota = new StorageQuota(db, config.storageQuotaBytes);
    const editing = { db, storage, corrections, quota };
    registerReaderRoutes(server, { ...editing, sources, assets, urlSigningKey: secrets.urlSigningKey });
    const access = consoleAccess(config);
    if (access) {
      await registerConsole(server, {
        access,
        assets,
        db,
        queue,
        metrics,
        keyPepper: secrets.keyPepper,
        urlSigningKey: secrets.urlSigningKey,
        dataDir: config.dataDir,
        stopping,
        settings: settingsInWords(config),
        listEngines: () => listEngines(engineChoice(config, 'elsewhere'), engines),
        testEngine: (name, actor) => testEngine(config, db, actor, name),
        engineMemories: () => readEngineMemories(db, engines),
        forgetEngine: (name, actor) => forgetEngineMemory(db, actor, engines, name),
        checkSystem: () =>
          checkSystem({
            db,
            dataDir: config.dataDir,
            databaseKind: config.databaseUrl ? 'external' : 'embedded',
            engines,
          }),
      });
    }
    registerReferenceRoutes(server, { apiPrefix, assets, publicUrl: config.publicUrl });
    const guard = createGuard({ db, keyPepper: secrets.keyPepper, metrics, keyUses });
    registerDownloadRoutes(server, { db, storage, urlSigningKey: secrets.urlSigningKey, guard });
    await server.register(
      async (scope) => {
        const partner = scope as unknown as Server;
        partner.addHook('onRequest', guard);
        partner.addHook('onRequest', (request, _reply, done) =>
          onBehalfOf(admissionOf(request).caller.accountId, done),
        );
        registerAccountRoutes(partner, db, config.limits, (mode) =>
          servedPairs(mode === 'test' ? sandboxEngines : engines),
        );
        registerEventRoutes(partner, db);
        registerChapterRoutes(partner, db);
        registerWebhookRoutes(partner, { db, queue, secretKey: secrets.webhookKey, policy: wiring.webhookPolicy });
        registerCorrectionRoutes(partner, { ...editing, sources });
        registerReaderLinkRoutes(partner, { db, urlSigningKey: secrets.urlSigningKey, publicUrl: config.publicUrl });
        registerSeriesRoutes(partner, { ...editing, limits: config.limits, seriesTerms });
        registerTaskRoutes(partner, {
          db,
          queue,
          storage,
          sources,
          seriesCounts,
          glossaries,
          turns: taskTurns(),
          quota,
          stopping,
          metrics,
          engines,
          sandboxEngines,
          log,
          limits: config.limits,
          unchargedCharactersPerDay: config.unchargedCharactersPerDay,
          urlSigningKey: secrets.urlSigningKey,
          publicUrl: config.publicUrl,
          tracing,
        });
      },
      { prefix: apiPrefix },
    );
  }
  await server.ready();
}

/** @throws NOT_FOUND */
async function testEngine(config: Config, db: Db, actor: string, name: string): Promise<EngineFinding> {
  try {
    const [finding] = await testEngines(db, actor, engineChoice(config, 'needed'), name);
    return finding as EngineFinding;
  } catch (error) {
    // An API process may run without the keys of engines, which its workers have.
    if (error instanceof EngineChoiceError) return { engine: name, ok: false, finding: error.message };
    throw error;
  }
}

/** Undefined = there is no console: others could reach it, and nothing would keep them out. */
function consoleAccess(config: Config): ConsoleAccess | undefined {
  const way = consoleWay(config);
  return way && { way, token: config.operatorToken, publicUrl: config.publicUrl };
}

/** Health and metrics on a port that the world need not reach. */
export async function openMetricsServer(wiring: Wiring, log: Log): Promise<Server> {
  const isDraining = () => wiring.stopping.aborted;
  const server = createServer({ log, metrics: wiring.metrics, trustProxy: false, isDraining });
  registerOperationsRoutes(server, operationsOf(wiring, true));
  await server.ready();
  return server;
}
