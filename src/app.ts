/** The composition root: settings in, a wired application out. Used unchanged by the command line and by the tests. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { KeyUses } from './accounts/key-uses.ts';
import { bookJobs } from './books/actions.ts';
import { seriesCounter } from './books/series-counts.ts';
import { type Config, ConfigError, type Role } from './config.ts';
import type { EngineCatalog } from './engines/catalog.ts';
import { EngineChoiceError } from './engines/engine-file.ts';
import { openEngines } from './engines/open-engines.ts';
import type { RoutingTuning } from './engines/routing/tuning.ts';
import { createSandboxCatalog } from './engines/sandbox/sandbox-catalog.ts';
import { targetPolicy } from './events/webhook-target.ts';
import { createServer, type Server } from './http/server.ts';
import { EngineLedger } from './operators/engine-ledger.ts';
import type { Showcase } from './operators/showcase.ts';
import type { Log } from './platform/log.ts';
import { createMetrics, type Metrics } from './platform/metrics.ts';
import { migrateAt } from './platform/migrate.ts';
import { type Database, openDatabase } from './platform/postgres.ts';
import { type JobQueue, openQueue } from './platform/queue.ts';
import { loadSecrets, requireSameSecret, type Secrets } from './platform/secrets.ts';
import { checkSession } from './platform/session-check.ts';
import { openStorage } from './platform/storage/open-storage.ts';
import { parseStorageUrl } from './platform/storage/storage-url.ts';
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

export interface Application {
  database: Database;
  secrets: Secrets;
  metrics: Metrics;
  queue: JobQueue;
  engines: EngineCatalog;
  server: Server;
  services: Services;
  /** Undefined where visitors try nothing. */
  showcase: Showcase | undefined;
  /** By loop of work, a value that changes as long as it goes round; none in an API process. */
  signs: () => Signs;
  /** Binds the port. */
  listen(): Promise<{ port: number }>;
  /**
   * Refuses new work, lets running requests end, then closes everything.
   * @param noticeMs how long to go on answering 503 first; longer while requests still come, up to 3 s. So clients and
   *   load balancers learn of it on connections they have, instead of finding them cut
   */
  stop(noticeMs?: number): Promise<void>;
}

const migrationsFolder = new URL('../migrations/', import.meta.url);
/** A stop must end within 20 s: notice, drain, then at most 6 s for the worker, and the database. */
const longestNoticeMs = 3_000;
const drainTimeoutMs = 8_000;

/** Opens the database, brings its schema up to date and wires everything; nothing listens yet. */
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
}: ApplicationOptions): Promise<Application> {
  const opened: (() => Promise<void>)[] = [];
  const closeAll = async () => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    // Every role checks the engines, so that a mistake shows at the start and not in a worker's log.
    const metrics = createMetrics();
    const keys = callsEngines ? 'needed' : 'elsewhere';
    const engineLedger = new EngineLedger();
    const engines = await configuredEngines(config, metrics, {
      tuning: engineTuning,
      keys,
      onCall: (call) => engineLedger.record(call),
    });
    const sandboxEngines = createSandboxCatalog();
    opened.push(async () => engines.close());
    const tracing = await openTracing({ endpoint: config.otlpEndpoint, role, log });
    opened.push(() => tracing.close());
    const secrets = await loadSecrets(config.secret, config.dataDir);
    const directUrl = config.databaseDirectUrl?.reveal();
    const database = openDatabase({
      url: databaseUrl,
      pooled: directUrl !== undefined,
      poolSize: config.databasePoolSize,
      log,
      applicationName: `toledo ${role}`,
    });
    opened.push(() => database.close());
    await checkSession(database, log);
    // Bypasses a pooler: a process that waits there for another's migration would hold one of the few shared connections.
    const applied = await migrateAt({ url: directUrl ?? databaseUrl, log }, migrationsFolder);
    if (applied.length > 0) log.info({ migrations: applied }, 'schema brought up to date');
    await requireSameSecret(database.db, secrets);

    const storage = await openStorage(parseStorageUrl(config.storage), join(config.dataDir, 'files'));
    opened.push(() => storage.close());
    const work = new WorkFolder(join(config.dataDir, 'tmp'));
    opened.push(() => work.close());
    await work.removeLeftovers();
    const sandbox = new Sandbox({
      preload: role === 'api' ? [sourceJobs.url, glossaryJobs.url] : [bookJobs.url],
      readable: [work.root],
      writable: [work.path],
      warm: warmProcesses,
      warmMemoryMb: usualMemoryMb,
    });
    opened.push(() => sandbox.close());
    const sources = new SourceFiles({ db: database.db, storage, sandbox, work, limits: config.limits });
    const queue = await openQueue({
      pool: database.pool,
      databaseUrl: directUrl ?? databaseUrl,
      works: role !== 'api',
      log,
    });
    opened.push(() => queue.stop());
    if (role !== 'api') opened.push(await engineLedger.start(database.db, engines, log));
    const keyUses = new KeyUses(database.db, log);
    opened.push(() => keyUses.close());

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
      keyUses,
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
      opened.push(worker.stop);
      signs = worker.signs;
    }

    return {
      database,
      secrets,
      metrics,
      queue,
      engines,
      server,
      services,
      showcase,
      signs,
      async listen() {
        await server.listen({ host: config.host, port: config.port });
        await metricsServer?.listen({ host: config.host, port: config.metricsPort ?? 0 });
        const address = server.server.address();
        return { port: typeof address === 'object' && address ? address.port : config.port };
      },
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
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** @throws ConfigError naming every fault */
async function configuredEngines(
  config: Config,
  metrics: Metrics,
  options: Parameters<typeof openEngines>[2],
): Promise<EngineCatalog> {
  try {
    return await openEngines(config, metrics, options);
  } catch (error) {
    throw error instanceof EngineChoiceError ? new ConfigError(error.faults) : error;
  }
}
