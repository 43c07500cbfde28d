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
import type { ResolveHost } from '../../src/events/webhook-target.ts';
import { openapiDocument } from '../../src/http/openapi.ts';
import { createAccount } from '../../src/operators/account-changes.ts';
import { createLog } from '../../src/platform/log.ts';
import { type Call, createCall } from './api-client.ts';
import { assertBooksBalance } from './audit.ts';
import { ContractCheck } from './contract-check.ts';
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

let accounts = 0;

/** Last started, first closed: an application `beside` another must disconnect from the database before it is dropped. */
const cleanups: (() => Promise<void>)[] = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

/**
 * Closed by itself when the test file ends.
 * @param logDestination where log lines go instead of standard error
 * @param role `api` when tasks are to stay pending: no worker then
 * @param beside a second application on the same database and data directory
 */
export async function startTestApp({
  env = {},
  beside,
  logDestination,
  role = 'all',
  engineTuning,
  resolveWebhookHost,
}: {
  env?: Record<string, string>;
  beside?: Pick<TestApp, 'databaseUrl' | 'dataDir'>;
  logDestination?: DestinationStream;
  role?: Role;
  engineTuning?: RoutingTuning;
  resolveWebhookHost?: ResolveHost;
} = {}): Promise<TestApp> {
  const testDatabase = beside ? { url: beside.databaseUrl, drop: async () => {} } : await createTestDatabase();
  const dataDir = beside?.dataDir ?? (await mkdtemp(join(tmpdir(), 'toledo-app-')));
  // The sandbox on purpose: what is tested here is the service around an engine, for every language pair.
  const config = loadConfig({
    TOLEDO_DATA_DIR: dataDir,
    TOLEDO_PORT: '0',
    TOLEDO_LOG_LEVEL: 'error',
    TOLEDO_ENGINE: 'sandbox',
    ...env,
  });
  const application = await createApplication({
    config,
    databaseUrl: testDatabase.url,
    role,
    log: createLog(config.logLevel, logDestination),
    engineTuning,
    resolveWebhookHost,
    // A test has one partner at a time, mostly; each process that waits costs the others a quarter of a second.
    waitingProcesses: { eager: 1, patient: 0 },
  });
  const { port } = await application.listen();
  const rootUrl = `http://127.0.0.1:${port}`;
  const contract = new ContractCheck(openapiDocument(application.server));
  cleanups.unshift(async () => {
    await application.stop();
    try {
      if (!beside) await assertBooksBalance(testDatabase.url);
    } finally {
      await testDatabase.drop();
      if (!beside) await rm(dataDir, { recursive: true, force: true });
    }
  });
  return {
    application,
    databaseUrl: testDatabase.url,
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
}
