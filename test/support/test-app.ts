/** The real application on its own database, with a client that validates every answer. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { DestinationStream } from 'pino';
import type { KeyMode } from '../../src/accounts/api-key.ts';
import { issueKey } from '../../src/accounts/open-account.ts';
import { type Application, createApplication } from '../../src/app.ts';
import { loadConfig, type Role } from '../../src/config.ts';
import type { RoutingTuning } from '../../src/engines/routing/tuning.ts';
import { createAccount } from '../../src/operators/account-changes.ts';
import { createLog } from '../../src/platform/log.ts';
import { type Call, createCall } from './api-client.ts';
import { assertBooksBalance } from './audit.ts';
import { contract } from './contract-check.ts';
import { sharedPart } from './shared-parts.ts';
import { createTestDatabase } from './test-database.ts';

export interface TestApp {
  application: Application;
  databaseUrl: string;
  dataDir: string;
  rootUrl: string;
  /** Makes an account with a live key. */
  account(options?: {
    credits?: number;
    rateLimitPerMinute?: number;
    billingPeriod?: 'monthly' | 'open';
  }): Promise<{ id: string; key: string }>;
  /** One more key of an account; a sandbox key moves no credits. */
  newKey(accountId: string, mode?: KeyMode): Promise<{ id: string; key: string; prefix: string }>;
  /** A request to a path below the root; validated against the OpenAPI document. */
  call: Call;
}

export interface TestAppOptions {
  env?: Record<string, string>;
  /** A second application on the same database and data directory. */
  beside?: Pick<TestApp, 'databaseUrl' | 'dataDir'>;
  /** Where log lines go instead of standard error. */
  logDestination?: DestinationStream;
  /** `api` when tasks are to stay pending: no worker then. */
  role?: Role;
  engineTuning?: RoutingTuning;
  webhookNameServers?: readonly string[];
  /** True for a test that counts what all accounts have, or that changes or stops the application. */
  own?: boolean;
}

/**
 * Without options, or with `role` alone, all files of a test process get one application; their accounts keep them apart. Any
 * other application is closed when the test that started it ends, or the file.
 */
export async function startTestApp({ own = false, role = 'all', ...special }: TestAppOptions = {}): Promise<TestApp> {
  if (!own && Object.values(special).every((option) => option === undefined))
    return await sharedPart(`application of role ${role}`, async () => {
      const { app, close } = await openTestApp({ role });
      return { part: app, close };
    });
  const { app, close } = await openTestApp({ role, ...special });
  after(close);
  return app;
}

let accounts = 0;
/** By database, in the order of their start: an application `beside` another is closed before it. */
const closers = new Map<string, (() => Promise<void>)[]>();

/** For what is shared: nobody closes it but the caller. */
export async function openTestApp({
  env = {},
  beside,
  logDestination,
  role = 'all',
  engineTuning,
  webhookNameServers,
}: TestAppOptions): Promise<{ app: TestApp; close(): Promise<void> }> {
  const databaseUrl = beside?.databaseUrl ?? (await createTestDatabase()).url;
  const dataDir = beside?.dataDir ?? (await mkdtemp(join(tmpdir(), 'toledo-app-')));
  // The sandbox on purpose: what is tested here is the service around an engine, for every language pair.
  const config = loadConfig({
    TOLEDO_DATA_DIR: dataDir,
    TOLEDO_PORT: '0',
    TOLEDO_LOG_LEVEL: 'error',
    TOLEDO_ENGINE: 'sandbox',
    // Each place asks the database for work once a second, and each process that translates needs half a second to start.
    TOLEDO_WORKER_SHORT_TASKS: '2',
    TOLEDO_WORKER_BOOKS: '3',
    ...env,
  });
  const application = await createApplication({
    config,
    databaseUrl,
    role,
    log: createLog(config.logLevel, logDestination),
    engineTuning,
    webhookNameServers,
    sendsWebhooks: env.TOLEDO_WEBHOOK_ALLOW !== undefined || webhookNameServers !== undefined,
    // A test has one partner at a time, mostly; each process that waits takes half a second of processor time from the others.
    warmProcesses: 0,
  });
  const { port } = await application.listen();
  const rootUrl = `http://127.0.0.1:${port}`;
  const app: TestApp = {
    application,
    databaseUrl,
    dataDir,
    rootUrl,
    async account({ credits = 0, rateLimitPerMinute = 10_000, billingPeriod = 'monthly' } = {}) {
      const name = `account ${++accounts}`;
      const created = await createAccount(
        application.database.db,
        'test',
        { name, rateLimitPerMinute, billingPeriod, credits },
        application.secrets.keyPepper,
      );
      return { id: created.account.id, key: created.key };
    },
    newKey: (accountId, mode = 'live') =>
      issueKey(application.database.db, accountId, mode, application.secrets.keyPepper),
    call: createCall(rootUrl, contract),
  };
  const stop = once(() => application.stop());
  const together = closers.get(databaseUrl) ?? [];
  closers.set(databaseUrl, [...together, stop]);
  const close = async () => {
    if (beside) return await stop();
    for (const each of (closers.get(databaseUrl) ?? []).toReversed()) await each();
    await assertBooksBalance(databaseUrl);
    await rm(dataDir, { recursive: true, force: true });
  };
  return { app, close };
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
