/**
 * The service as it runs in production: several API and worker processes on one PostgreSQL, an engine in a separate process,
 * and a proxy in front of the database where a proof breaks that connection. Members are killed, stopped and started again one
 * by one. When the test file ends, everything that still runs is ended and the accounts must balance.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { createAccount } from '../../src/operators/account-changes.ts';
import { createLog } from '../../src/platform/log.ts';
import { openDatabase, type Pool } from '../../src/platform/postgres.ts';
import { loadSecrets } from '../../src/platform/secrets.ts';
import { type Call, createCall } from './api-client.ts';
import { assertBooksBalance } from './audit.ts';
import { type ChaosProxy, startChaosProxy } from './chaos-proxy.ts';
import { contract } from './contract-check.ts';
import { type SimulatedLlmChild, spawnSimulatedLlm } from './simulated-llm/child.ts';
import type { SimulatedLlmOptions } from './simulated-llm/server.ts';
import { createTestDatabase } from './test-database.ts';
import { type ServeProcess, startServe } from './toledo-process.ts';

export type MemberRole = 'api' | 'worker' | 'all';

/** One process of the cluster; `call` reaches its API, or a worker's health checks. */
export interface Member extends ServeProcess {
  role: MemberRole;
  call: Call;
  /** kill -9, and waits for the end. */
  kill(): Promise<void>;
  /** SIGTERM, and waits for the end. */
  stop(): Promise<{ code: number | null; durationMs: number }>;
  /** The same command again, on the same port. */
  startAgain(): Promise<Member>;
}

export interface FaultCluster {
  databaseUrl: string;
  dataDir: string;
  /** Straight to the database, past the proxy. */
  pool: Pool;
  llm: SimulatedLlmChild | undefined;
  /** Between every member and the database; members that were started without it are not affected. */
  databaseProxy: ChaosProxy | undefined;
  start(role: MemberRole, env?: Record<string, string>): Promise<Member>;
  account(options?: { credits?: number; rateLimitPerMinute?: number }): Promise<{ id: string; key: string }>;
  /** How often a task was taken, its unexpected errors, and its progress. */
  attempts(taskId: string): Promise<{ attempt: number; faults: number; progress: number; status: string }>;
  /**
   * Dead workers' jobs are taken over after this long without a heartbeat, for tasks created from now on. The job engine
   * refuses settings below the 10 s of production; it reads this column.
   */
  setLeaseSeconds(seconds: number): Promise<void>;
}

export interface FaultClusterOptions {
  env?: Record<string, string>;
  /** An engine that speaks HTTP; without it the sandbox engine inside the workers. */
  llm?: Partial<SimulatedLlmOptions>;
  /** Settings of that engine's entry in the engine file. */
  engine?: Record<string, unknown>;
  proxyDatabase?: boolean;
}

export async function startFaultCluster({
  env = {},
  llm: llmOptions,
  engine = {},
  proxyDatabase = false,
}: FaultClusterOptions = {}): Promise<FaultCluster> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'toledo-cluster-'));
  const { db, pool, close } = openDatabase({
    url: database.url,
    poolSize: 4,
    log: createLog('silent'),
    applicationName: 'proof',
  });
  const llm = llmOptions && (await spawnSimulatedLlm(llmOptions));
  const databaseProxy = proxyDatabase ? await startChaosProxy(databaseSocket(database.url)) : undefined;
  const running = new Set<Member>();
  after(async () => {
    await Promise.all([...running].map((member) => member.kill()));
    await llm?.stop();
    await databaseProxy?.close();
    await close();
    try {
      await assertBooksBalance(database.url);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  const settings: Record<string, string> = {
    TOLEDO_DATA_DIR: dataDir,
    TOLEDO_DATABASE_URL: databaseProxy ? proxiedUrl(database.url, databaseProxy.port) : database.url,
    TOLEDO_LOG_LEVEL: 'info',
    TOLEDO_PORT: '0',
  };
  if (llm) {
    const entry = { name: 'simulated', kind: 'openai-compatible', base_url: llm.url, model: 'simulated', ...engine };
    settings.TOLEDO_ENGINES = join(dataDir, 'engines.json');
    await writeFile(settings.TOLEDO_ENGINES, JSON.stringify({ engines: [entry] }));
  }
  Object.assign(settings, env);
  const secrets = await loadSecrets(undefined, dataDir);
  let accounts = 0;

  const start = async (role: MemberRole, own: Record<string, string> = {}): Promise<Member> => {
    const started = await startServe({ ...settings, ...own }, ['--role', role]);
    const { child, exited, rootUrl } = started;
    const end = async (signal: NodeJS.Signals) => {
      const beganAt = performance.now();
      child.kill(signal);
      // A paused process reacts only to these two signals.
      if (signal === 'SIGTERM') child.kill('SIGCONT');
      const { code } = await exited;
      return { code, durationMs: Math.round(performance.now() - beganAt) };
    };
    const member: Member = {
      ...started,
      role,
      ...memberAt(rootUrl),
      kill: async () => void (await end('SIGKILL')),
      stop: () => end('SIGTERM'),
      startAgain: () => start(role, { ...own, TOLEDO_PORT: new URL(rootUrl).port }),
    };
    running.add(member);
    void exited.then(() => running.delete(member));
    return member;
  };

  return {
    databaseUrl: database.url,
    dataDir,
    pool,
    llm,
    databaseProxy,
    start,
    async account({ credits = 0, rateLimitPerMinute = 100_000 } = {}) {
      const name = `account ${++accounts}`;
      const options = { name, rateLimitPerMinute, billingPeriod: 'monthly', credits } as const;
      const { account, key } = await createAccount(db, 'test', options, secrets.keyPepper);
      return { id: account.id, key };
    },
    async attempts(taskId) {
      const { rows } = await pool.query('select attempt, faults, progress, status from tasks where id = $1', [taskId]);
      return rows[0];
    },
    async setLeaseSeconds(seconds) {
      await pool.query('update pgboss.queue set heartbeat_seconds = $1', [seconds]);
    },
  };
}

/** A member at another address, such as a proxy in front of it. */
export function memberAt(rootUrl: string): Pick<Member, 'call'> {
  return { call: createCall(rootUrl, contract) };
}

export function databaseSocket(url: string): number | string {
  const { searchParams, port } = new URL(url);
  const folder = searchParams.get('host');
  return folder === null ? Number(port) : join(folder, `.s.PGSQL.${searchParams.get('port')}`);
}

export function proxiedUrl(url: string, port: number): string {
  const { username, password, pathname } = new URL(url);
  return `postgresql://${username}${password && `:${password}`}@127.0.0.1:${port}${pathname}`;
}
