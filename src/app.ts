/** The composition root: settings in, a wired application out. Used unchanged by the command line and by the tests. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bookJobs } from './books/actions.ts';
import { seriesCounter } from './books/series-counts.ts';
import { type Config, ConfigError, type Role } from './config.ts';
import { EngineChoiceError } from './engines/engine-file.ts';
import { openEngines } from './engines/open-engines.ts';
import type { EndedCall } from './engines/routing/engine-gate.ts';
import type { RoutingTuning } from './engines/routing/tuning.ts';
import { createSandboxCatalog } from './engines/sandbox/sandbox-catalog.ts';
import { targetPolicy } from './events/webhook-target.ts';
import { createServer } from './http/server.ts';
import { EngineLedger } from './operators/engine-ledger.ts';
import type { Log } from './platform/log.ts';
import { createMetrics } from './platform/metrics.ts';
import { migrateAt } from './platform/migrate.ts';
import { checkSession, openDatabase } from './platform/postgres.ts';
import { openQueue } from './platform/queue.ts';
import { loadSecrets, requireSameSecret } from './platform/secrets.ts';
import { openStorage } from './platform/storage/open-storage.ts';
import { openTracing } from './platform/tracing.ts';
import type { Signs } from './platform/watchdog.ts';
import { WorkFolder } from './platform/work-folder.ts';
import { CorrectionReader } from './reading/correction-reader.ts';
import { OutputMaker } from './reading/output-maker.ts';
import { seriesTermReader } from './reading/series-term-reader.ts';
import { openMetricsServer, registerRoutes } from './routes.ts';
import { Sandbox } from './sandbox/sandbox.ts';
import type { Services } from './services.ts';
import { GlossaryReader, glossaryJobs } from './tasks/glossary-reader.ts';
import { SourceFiles, sourceJobs } from './tasks/source-files.ts';
import { StorageQuota } from './tasks/storage-quota.ts';
import { usualMemoryMb } from './tasks/work-budget.ts';
import { startWorker } from './worker.ts';

export interface ApplicationOptions {
  config: Config;
  databaseUrl: string;
  role: Role;
  log: Log;
  /** False for an API process whose workers run elsewhere: it starts without the keys of the engines. */
  callsEngines?: boolean;
  otherMetrics?: () => readonly object[];
  /** How engines are waited for; tests run in a faster world. */
  engineTuning?: RoutingTuning | undefined;
  /** Name servers for the hosts of webhooks instead of those of the machine; tests have one of their own. */
  webhookNameServers?: readonly string[] | undefined;
  /** False for tests without webhooks: the thread that delivers takes a third of a second of processor time to start. */
  sendsWebhooks?: boolean;
  /** Processes of the sandbox that are kept ready. */
  warmProcesses?: number;
}

export type Application = Awaited<ReturnType<typeof createApplication>>;

/** A stop must end within 20 s: notice, drain, then at most 6 s for the worker, and the database. */
const longestNoticeMs = 3_000;
const drainTimeoutMs = 8_000;

/** Opens the database, brings its schema up to date and wires everything; nothing listens yet. @throws ConfigError naming every fault */
export async function createApplication({
  config,
  databaseUrl,
  role,
  log,
  callsEngines = role !== 'api',
  otherMetrics = () => [],
  engineTuning,
  webhookNameServers,
  sendsWebhooks = true,
  warmProcesses = 2,
}: ApplicationOptions) {
  await using opening = new AsyncDisposableStack();
  // Every role checks the engines, so that a mistake shows at the start and not in a worker's log.
  const metrics = createMetrics();
  const keys = callsEngines ? 'needed' : 'elsewhere';
  const engineLedger = new EngineLedger();
  const routing = { tuning: engineTuning, keys, onCall: (call: EndedCall) => engineLedger.record(call) } as const;
  const engines = await openEngines(config, metrics, routing).catch((error) => {
    throw error instanceof EngineChoiceError ? new ConfigError(error.faults) : error;
  });
  const sandboxEngines = createSandboxCatalog();
  opening.defer(() => engines.close());
  const tracing = await openTracing(config.otlpEndpoint, role, log);
  opening.defer(() => tracing.close());
  const secrets = await loadSecrets(config.secret, config.dataDir);
  const directUrl = config.databaseDirectUrl?.reveal();
  const database = openDatabase({
    url: databaseUrl,
    pooled: directUrl !== undefined,
    poolSize: config.databasePoolSize,
    log,
    applicationName: `toledo ${role}`,
  });
  opening.defer(() => database.close());
  await checkSession(database, log);
  // Bypasses a pooler: a process that waits there for another's migration would hold one of the few shared connections.
  const applied = await migrateAt({ url: directUrl ?? databaseUrl, log });
  if (applied.length > 0) log.info({ migrations: applied }, 'schema brought up to date');
  await requireSameSecret(database.db, secrets);

  const storage = await openStorage(config);
  opening.defer(() => storage.close());
  const work = new WorkFolder(join(config.dataDir, 'tmp'));
  opening.defer(() => work.close());
  await work.removeLeftovers();
  const sandbox = new Sandbox({
    preload: role === 'api' ? [sourceJobs.url, glossaryJobs.url] : [bookJobs.url],
    readable: [work.root],
    writable: [work.path],
    warm: warmProcesses,
    warmMemoryMb: usualMemoryMb,
  });
  opening.defer(() => sandbox.close());
  const sources = new SourceFiles({ db: database.db, storage, sandbox, work, limits: config.limits });
  const queue = await openQueue({
    pool: database.pool,
    databaseUrl: directUrl ?? databaseUrl,
    works: role !== 'api',
    log,
  });
  opening.defer(() => queue.stop());
  if (role !== 'api') opening.defer(await engineLedger.start(database.db, engines, log));

  const draining = new AbortController();
  const stopping = draining.signal;
  let refused = 0;
  const server = createServer({
    log,
    metrics,
    trustProxy: config.trustProxy,
    isDraining: () => stopping.aborted,
    onRefused: () => {
      refused += 1;
    },
  });
  const { limits } = config;
  const { db } = database;
  const quota = new StorageQuota(db, config.storageQuotaBytes);
  const { webhookAllow: allow, webhookAllowHttp: allowHttp } = config;
  const targets = { allow, allowHttp, nameServers: webhookNameServers };
  const services: Services = {
    ...secrets,
    config,
    limits,
    publicUrl: config.publicUrl,
    unchargedCharactersPerDay: config.unchargedCharactersPerDay,
    log,
    metrics,
    otherMetrics,
    tracing,
    db,
    queue,
    storage,
    quota,
    work,
    sandbox,
    engines,
    sandboxEngines,
    sources,
    seriesCounts: seriesCounter({ db, sandbox, sources, engines, sandboxEngines }),
    glossaries: new GlossaryReader({ sandbox, limits }),
    seriesTerms: seriesTermReader({ sandbox, limits }),
    corrections: new CorrectionReader(sandbox),
    maker: new OutputMaker({ db, storage, sources, quota }),
    webhookPolicy: targetPolicy(targets),
    stopping,
  };
  const showcase = await registerRoutes(server, services, role);
  const metricsServer = config.metricsPort === undefined ? undefined : await openMetricsServer(services);
  let signs: () => Signs = () => ({});
  if (role !== 'api') {
    const webhooks = {
      databaseUrl,
      pooled: directUrl !== undefined,
      logLevel: config.logLevel,
      secretKey: secrets.webhookKey,
      targets,
    };
    const worker = await startWorker(services, sendsWebhooks ? webhooks : undefined);
    opening.defer(worker.stop);
    signs = worker.signs;
  }

  const opened = opening.move();
  return {
    database,
    secrets,
    metrics,
    queue,
    engines,
    server,
    services,
    /** Undefined where visitors try nothing. */
    showcase,
    /** By loop of work, a value that changes as long as it goes round; none in an API process. */
    signs,
    /** Binds the port. */
    async listen() {
      await server.listen({ host: config.host, port: config.port });
      await metricsServer?.listen({ host: config.host, port: config.metricsPort ?? 0 });
      const address = server.server.address();
      return { port: typeof address === 'object' && address ? address.port : config.port };
    },
    /**
     * Refuses new work, lets running requests end, then closes everything.
     * @param noticeMs how long to go on answering 503 first; longer while requests still come, up to 3 s. So clients and
     *   load balancers learn of it on connections they have, instead of finding them cut
     */
    async stop(noticeMs = 0) {
      draining.abort();
      const latest = performance.now() + longestNoticeMs;
      for (let before = -1; noticeMs > 0 && refused > before && performance.now() + noticeMs <= latest; ) {
        before = refused;
        await sleep(noticeMs);
      }
      await metricsServer?.close();
      const deadline = setTimeout(() => server.server.closeAllConnections(), drainTimeoutMs);
      await server.close();
      clearTimeout(deadline);
      await opened.disposeAsync();
    },
  };
}
