/** Whether a process has its own database sessions, or a pooler lends it one per transaction. */
import { sql } from 'kysely';
import type { Log } from './log.ts';
import { type Database, defaultStatementTimeoutMs } from './postgres.ts';

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
