/**
 * The connection to PostgreSQL: one pool per process, Kysely on top of it.
 */
import { Kysely, PostgresAdapter, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { AppError } from '../errors.ts';
import { FairPool } from './fair-pool.ts';
import { databaseConnected, type Log } from './log.ts';
import { lostConnection, OutageLog } from './outage-log.ts';

/** Statements are written as SQL; `database-types.ts` has the types of the rows that they read. */
export type Db = Kysely<unknown>;
export type Trx = Transaction<unknown>;
export type Pool = pg.Pool;

export type Database = ReturnType<typeof openDatabase>;

export interface DatabaseOptions {
  url: string;
  poolSize: number;
  log: Log;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Default 10 s; 0 = none, for migrations. */
  statementTimeoutMs?: number;
  /** True when the URL leads through a pooler in transaction mode, where no session state lasts. */
  pooled?: boolean;
}

/** None of our statements takes long: a stuck one must not block a partner, a connection or a lock. */
const defaultStatementTimeoutMs = 10_000;
/** Extra time for the server to report a statement timeout itself. */
const answerGraceMs = 2_000;

export function openDatabase({
  url,
  poolSize,
  log,
  applicationName,
  statementTimeoutMs = defaultStatementTimeoutMs,
  pooled = false,
}: DatabaseOptions) {
  const pool = new FairPool({
    connectionString: url,
    max: poolSize,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    // A pooler refuses connections that ask for limits; there, the role or the pooler must set them.
    ...(pooled ? {} : sessionLimits(statementTimeoutMs)),
    // Only this notices a dead connection soon: the kernel takes two hours.
    query_timeout: statementTimeoutMs === 0 ? 0 : statementTimeoutMs + answerGraceMs,
    keepAlive: true,
    types: { getTypeParser },
  });
  // Both are needed: without the second, a lost server kills the process with an uncaught ECONNRESET.
  // While closing, the embedded server may stop before the last connection is closed; nothing is lost then.
  let closing = false;
  const lost = (message: string) => (err: Error) => closing || log.warn({ err: OutageLog.ofDatabase(err) }, message);
  pool.on('error', lost('idle database connection lost'));
  pool.on('connect', (client) => {
    client.on('error', lost('database connection lost'));
    closeUnanswered(client);
    databaseConnected(log);
  });
  const db = new Kysely<unknown>({ dialect: new Dialect({ pool }) });
  const close = async () => {
    closing = true;
    // Kysely does not close a pool that it never used.
    await db.destroy();
    if (!pool.ended) await pool.end();
  };
  return {
    db,
    /** For the job engine and for COPY. */
    pool: pool as Pool,
    /** True behind a pooler in transaction mode: the next statement may run in another session. */
    pooled,
    close,
  };
}

/**
 * Behind a configured pooler: warns when its statements have no time limit, because we cannot set one. Otherwise makes sure
 * that there is no pooler.
 * @throws when there is a pooler that the settings do not mention
 */
export async function checkSession({ db, pooled }: Database, log: Log): Promise<void> {
  const read = sql<{ name: string; setting: number }>`
    select name, setting::int from pg_settings
    where name in ('statement_timeout', 'idle_in_transaction_session_timeout') order by name`.execute(db);
  const { rows } = await read.catch((error) => {
    // PgBouncer's message for a connection that asks for a limit.
    throw /unsupported startup parameter/.test((error as Error).message) ? poolerError(error) : error;
  });
  if (pooled) {
    const settings = rows.filter(({ setting }) => setting === 0).map(({ name }) => name);
    const message = 'statements through the pooler have no time limit; see docs/operating/many-machines.md';
    if (settings.length > 0) log.warn({ settings }, message);
    return;
  }
  // A pooler that ignores the requested limits is recognised by that. A worker behind one would listen for jobs in vain.
  const limit = rows.find(({ name }) => name === 'statement_timeout')?.setting;
  if (limit !== defaultStatementTimeoutMs) throw poolerError();
}

function poolerError(cause?: unknown): Error {
  const cure = 'set TOLEDO_DATABASE_DIRECT_URL to the address of PostgreSQL itself';
  return new Error(`TOLEDO_DATABASE_URL leads through a pooler such as PgBouncer: ${cure}.`, { cause });
}

/** Other processes wait for the locks of a process that was paused in a transaction. */
function sessionLimits(statementTimeoutMs: number) {
  return { statement_timeout: statementTimeoutMs, idle_in_transaction_session_timeout: 10_000 };
}

/**
 * One connection with both of its interfaces, so that both see the same transaction. Kysely is for statements, the client
 * for COPY, which Kysely does not offer. A failed connection is discarded.
 */
export async function withConnection<T>(
  pool: Pool,
  use: (connection: { db: Db; client: pg.PoolClient }) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const shared = { options: {}, connect: async () => shareable(client), end: async () => {} };
  try {
    const result = await use({ db: new Kysely<unknown>({ dialect: new Dialect({ pool: shared }) }), client });
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Kysely must not return the connection to the pool: we need it for longer. */
function shareable(client: pg.PoolClient) {
  return { query: client.query.bind(client), release: () => {} } as unknown as pg.PoolClient;
}

const noAnswer = 'Query read timeout';

/**
 * When a query is not answered, the driver abandons it but not the connection. The connection would return to the pool with
 * its answer still outstanding, so it is closed.
 */
function closeUnanswered(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const watched = (...args: unknown[]): unknown => {
    const result = query(...args);
    if (result instanceof Promise)
      result.catch((error: Error) => {
        OutageLog.ofDatabase(error);
        if (error.message === noAnswer) void (client as unknown as pg.Client).end().catch(() => {});
      });
    return result;
  };
  client.query = watched as typeof client.query;
}

/** Migrations are locked by `migrate`, in a way that works behind a pooler. */
class Adapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

class Dialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new Adapter();
  }
}

/** Credits and counts are bigint in the database and stay far below 2^53, so they are read as numbers. */
const bigintOid = 20;
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === bigintOid && format !== 'binary' ? readBigint : pg.types.getTypeParser(oid, format as 'text');
}
function readBigint(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new Error(`bigint out of the safe range: ${value}`);
  return number;
}

/**
 * Codes that mean "the database is away or overloaded", as opposed to "the statement is wrong". They are whole classes of
 * SQLSTATEs, a statement that took too long (57014) or hit a deadlock (40P01), and a connection that the system refused.
 */
const awayCodes =
  /^(08|53|57P0|57014|40P01|25P03|25006|58|E(CONNREFUSED|CONNRESET|NOENT|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|ACCES)$)/;

/** True when the statement failed for a reason unrelated to the request, so a later retry can succeed. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  return (typeof code === 'string' && awayCodes.test(code)) || lostConnection.test(error.message);
}

export function databaseAwayError(cause: unknown): AppError {
  return new AppError('UNAVAILABLE', 'The service cannot reach its database just now.', {
    retryAfterSeconds: 2,
    cause,
  });
}

/** Resolves when the database answers. */
export async function ping(db: Db): Promise<void> {
  await sql`select 1`.execute(db);
}

/** Name of the violated constraint, the only way constraint violations are recognised (never by message text). */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof Error ? (error as { constraint?: string }).constraint : undefined;
}
