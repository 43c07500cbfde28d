import { type RawBuilder, sql } from 'kysely';
import type { Columns } from '../platform/database-types.ts';
import { type Db, type Trx, violatedConstraint } from '../platform/postgres.ts';

/** Where an Idempotency-Key is unique: API keys rotate, so it is the account's, and live and sandbox keys never meet. */
export interface KeyScope {
  accountId: string;
  mode: 'live' | 'test';
  key: string;
}

export interface ClaimedKey {
  fingerprint: Buffer;
  taskId: string;
  /** Null while an inline action is still being waited for. */
  responseBody: string | null;
}

/** How long tasks that are placed together wait where a process of an earlier release claims one of their keys. */
const sharedWaitMs = 250;

/**
 * Claims the key for a new task. When another request holds it uncommitted, waits for that one.
 * @returns what is stored when the key was claimed before; `busy` when the other request took longer than `waitMs`
 */
export async function claimKey(
  trx: Trx,
  { accountId, mode, key }: KeyScope,
  claim: { fingerprint: Buffer; taskId: string },
  waitMs: number,
): Promise<ClaimedKey | 'busy' | undefined> {
  await limitLockWait(trx, waitMs);
  try {
    const inserted = await sql`
      insert into idempotency_keys (account_id, mode, key, fingerprint, task_id)
      select ${accountId}, ${mode}, ${key}, ${claim.fingerprint}::bytea, ${claim.taskId}
      from pg_advisory_xact_lock(${lockOf(sql`${accountId}::text`, sql`${mode}::text`, sql`${key}::text`)}) as held
      on conflict (account_id, mode, key) do nothing`.execute(trx);
    if (inserted.numAffectedRows !== 1n) return await readKey(trx, { accountId, mode, key });
    await limitLockWait(trx, 0);
    return undefined;
  } catch (error) {
    if (isLockWaitOver(error)) return 'busy';
    throw error;
  }
}

/**
 * For a statement that places many tasks: its rows whose key nobody has claimed or is about to, and those without a key. A claim that
 * was committed while the statement began is not seen; `claimParts` then fails for all of them.
 * @param sent with account_id, key_mode and idempotency_key
 */
export function whereFree(sent: RawBuilder<unknown>): RawBuilder<unknown> {
  const lock = lockOf(sql`${sent}.account_id`, sql`${sent}.key_mode`, sql`${sent}.idempotency_key`);
  // A lookup of its own for each row: the planner could read the whole table for a join.
  return sql`left join lateral (
      select key from idempotency_keys where account_id = ${sent}.account_id and mode = ${sent}.key_mode and key = ${sent}.idempotency_key limit 1
    ) earlier on true
    where ${sent}.idempotency_key is null or (earlier.key is null and pg_try_advisory_xact_lock(${lock}))`;
}

/** Parts of such a statement: claims the keys of `paid`, and stores the answers that were sent with it around their time. */
export const claimParts = sql`waiting as materialized (
      select set_config('lock_timeout', ${sql.lit(`${sharedWaitMs}ms`)}, true)
    ), claimed as (
      insert into idempotency_keys (account_id, mode, key, fingerprint, task_id, response_body)
      select account_id, key_mode, idempotency_key, decode(fingerprint, 'hex'), id,
        answer_before || to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || answer_after
      from waiting cross join paid where idempotency_key is not null order by account_id, key_mode, idempotency_key
      returning task_id, response_body
    )`;

/** Another request has claimed one of the keys meanwhile, or is about to. */
export function isClaimedByAnother(error: unknown): boolean {
  return violatedConstraint(error) === 'idempotency_keys_pkey' || isLockWaitOver(error);
}

/** The requests that keys were claimed for, in the order of the scopes. */
export async function readFingerprints(db: Db, scopes: readonly KeyScope[]): Promise<(Buffer | undefined)[]> {
  const { rows } = await sql<Columns<'idempotency_keys', 'fingerprint'> & { place: number }>`
    select place::int, fingerprint
    from unnest(${scopes.map(({ accountId }) => accountId)}::text[], ${scopes.map(({ mode }) => mode)}::text[], ${scopes.map(({ key }) => key)}::text[])
      with ordinality as sent (account_id, mode, key, place)
    cross join lateral (
      select fingerprint from idempotency_keys where account_id = sent.account_id and mode = sent.mode and key = sent.key limit 1
    ) claimed`.execute(db);
  const found = new Map(rows.map(({ place, fingerprint }) => [place, fingerprint]));
  return scopes.map((_, i) => found.get(i + 1));
}

/**
 * Whoever claims a key holds this until the commit. The unique index alone would decide as well, but whoever asks it has to
 * wait for the other one, and tasks that are placed together would wait with him.
 */
function lockOf(
  accountId: RawBuilder<unknown>,
  mode: RawBuilder<unknown>,
  key: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`hashtextextended(${accountId} || ' ' || ${mode} || ' ' || ${key}, 0)`;
}

function isLockWaitOver(error: unknown): boolean {
  return (error as { code?: string }).code === '55P03';
}

/** For the rest of the transaction; 0 = no limit. */
async function limitLockWait(trx: Trx, waitMs: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`.execute(trx);
}

export async function readKey(db: Db, { accountId, mode, key }: KeyScope): Promise<ClaimedKey | undefined> {
  const { rows } = await sql<Columns<'idempotency_keys', 'fingerprint' | 'task_id' | 'response_body'>>`
    select fingerprint, task_id, response_body from idempotency_keys
    where account_id = ${accountId} and mode = ${mode} and key = ${key}`.execute(db);
  const row = rows[0];
  return row && { fingerprint: row.fingerprint, taskId: row.task_id, responseBody: row.response_body };
}

/** The first response stored is the response for ever; returns that one. */
export async function storeResponse(db: Db, { accountId, mode, key }: KeyScope, body: string): Promise<string> {
  const { rows } = await sql<Columns<'idempotency_keys', 'response_body'>>`
    update idempotency_keys set response_body = coalesce(response_body, ${body})
    where account_id = ${accountId} and mode = ${mode} and key = ${key} returning response_body`.execute(db);
  return rows[0]?.response_body ?? body;
}
