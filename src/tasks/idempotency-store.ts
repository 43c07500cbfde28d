import { sql } from 'kysely';
import type { Db, Trx } from '../platform/postgres.ts';

export interface ClaimedKey {
  fingerprint: Buffer;
  taskId: string;
  /** Null while an inline action is still being waited for. */
  responseBody: string | null;
}

/**
 * Claims the key for a new task. When another request holds it uncommitted, waits for that one on the unique index, up
 * to the transaction's lock_timeout. Returns what is stored when the key was claimed before.
 */
export async function claimKey(
  trx: Trx,
  claim: { accountId: string; key: string; fingerprint: Buffer; taskId: string },
): Promise<ClaimedKey | undefined> {
  const inserted = await sql`
    insert into idempotency_keys (account_id, key, fingerprint, task_id)
    values (${claim.accountId}, ${claim.key}, ${claim.fingerprint}, ${claim.taskId})
    on conflict (account_id, key) do nothing`.execute(trx);
  return inserted.numAffectedRows === 1n ? undefined : await readKey(trx, claim.accountId, claim.key);
}

export async function readKey(db: Db, accountId: string, key: string): Promise<ClaimedKey | undefined> {
  const { rows } = await sql<{ fingerprint: Buffer; task_id: string; response_body: string | null }>`
    select fingerprint, task_id, response_body from idempotency_keys
    where account_id = ${accountId} and key = ${key}`.execute(db);
  const row = rows[0];
  return row && { fingerprint: row.fingerprint, taskId: row.task_id, responseBody: row.response_body };
}

/** The first response stored is the response for ever; returns that one. */
export async function storeResponse(db: Db, accountId: string, key: string, body: string): Promise<string> {
  const { rows } = await sql<{ response_body: string }>`
    update idempotency_keys set response_body = coalesce(response_body, ${body})
    where account_id = ${accountId} and key = ${key} returning response_body`.execute(db);
  return rows[0]?.response_body ?? body;
}
