/** The composition root: settings in, a wired application out. Used unchanged by the command line and by the tests. */
import type { Config } from './config.ts';
import { createGuard } from './http/guard.ts';
import { apiPrefix, registerOpenapi } from './http/openapi.ts';
import { registerAccountRoutes } from './http/routes/account-routes.ts';
import { registerOperationsRoutes } from './http/routes/operations-routes.ts';
import { registerReferenceRoutes } from './http/routes/reference-routes.ts';
import { createServer, type Server } from './http/server.ts';
import type { Log } from './platform/log.ts';
import { createMetrics, type Metrics } from './platform/metrics.ts';
import { migrate } from './platform/migrate.ts';
import { type Database, openDatabase } from './platform/postgres.ts';
import { loadSecrets, requireSameSecret, type Secrets } from './platform/secrets.ts';

export type Role = 'all' | 'api' | 'worker';

export interface ApplicationOptions {
  config: Config;
  databaseUrl: string;
  role: Role;
  log: Log;
}

export interface Application {
  database: Database;
  secrets: Secrets;
  metrics: Metrics;
  server: Server;
  /** Binds the port. */
  listen(): Promise<{ port: number }>;
  /** Refuses new work, lets running requests end, then closes everything. */
  stop(): Promise<void>;
}

const migrationsFolder = new URL('../migrations/', import.meta.url);
/** A stop must end within 20 s; what is left of that after this goes to the worker and the database. */
const drainTimeoutMs = 12_000;

/** Opens the database, brings its schema up to date and wires everything; nothing listens yet. */
export async function createApplication({ config, databaseUrl, role, log }: ApplicationOptions): Promise<Application> {
  const secrets = await loadSecrets(config.secret, config.dataDir);
  const database = openDatabase({
    url: databaseUrl,
    poolSize: config.databasePoolSize,
    log,
    applicationName: `toledo ${role}`,
  });
  try {
    const applied = await migrate(database.db, migrationsFolder);
    if (applied.length > 0) log.info({ migrations: applied }, 'schema brought up to date');
    await requireSameSecret(database.db, secrets);
  } catch (error) {
    await database.close();
    throw error;
  }

  const metrics = createMetrics();
  let draining = false;
  const isDraining = () => draining;
  const server = createServer({ log, metrics, trustProxy: config.trustProxy, isDraining });
  await registerRoutes(server, { config, database, secrets, metrics, isDraining });

  return {
    database,
    secrets,
    metrics,
    server,
    async listen() {
      await server.listen({ host: config.host, port: config.port });
      const address = server.server.address();
      return { port: typeof address === 'object' && address ? address.port : config.port };
    },
    async stop() {
      draining = true;
      await withDeadline(server.close(), drainTimeoutMs, () => server.server.closeAllConnections());
      await database.close();
    },
  };
}

interface Wiring {
  config: Config;
  database: Database;
  secrets: Secrets;
  metrics: Metrics;
  isDraining: () => boolean;
}

async function registerRoutes(
  server: Server,
  { config, database, secrets, metrics, isDraining }: Wiring,
): Promise<void> {
  await registerOpenapi(server);
  registerOperationsRoutes(server, { db: database.db, metrics, isDraining });
  registerReferenceRoutes(server, apiPrefix);
  const guard = createGuard({ pool: database.pool, keyPepper: secrets.keyPepper, metrics });
  await server.register(
    async (scope) => {
      const partner = scope as unknown as Server;
      partner.addHook('onRequest', guard);
      registerAccountRoutes(partner, config.limits);
    },
    { prefix: apiPrefix },
  );
  await server.ready();
}

async function withDeadline(work: PromiseLike<unknown>, timeoutMs: number, giveUp: () => void): Promise<void> {
  const timer = setTimeout(giveUp, timeoutMs);
  try {
    await work;
  } finally {
    clearTimeout(timer);
  }
}
