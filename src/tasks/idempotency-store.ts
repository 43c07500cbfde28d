import type { Columns, Row } from '../platform/database-types.ts';
import { change, type FromRow, readRow, readValue } from '../platform/from-row.ts';
import type { Db, Trx } from '../platform/postgres.ts';

/** Where an Idempotency-Key is unique: API keys rotate, so it is the account's, and live and sandbox keys never meet. */
export interface KeyScope {
  accountId: string;
  mode: 'live' | 'test';
  key: string;
}

export interface ClaimedKey {
  fingerprint: Buffer;
  taskId: string;
  /** Undefined while an inline action is still being waited for. */
  responseBody: string | undefined;
}

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
    const inserted = await change(trx)`
      insert into idempotency_keys (account_id, mode, key, fingerprint, task_id)
      values (${accountId}, ${mode}, ${key}, ${claim.fingerprint}, ${claim.taskId})
      on conflict (account_id, mode, key) do nothing`;
    if (inserted !== 1) return await readKey(trx, { accountId, mode, key });
    await limitLockWait(trx, 0);
    return undefined;
  } catch (error) {
    if (isLockWaitOver(error)) return 'busy';
    throw error;
  }
}

function isLockWaitOver(error: unknown): boolean {
  return (error as { code?: string }).code === '55P03';
}

/** For the rest of the transaction; 0 = no limit. */
async function limitLockWait(trx: Trx, waitMs: number): Promise<void> {
  await change(trx)`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`;
}

export async function readKey(db: Db, { accountId, mode, key }: KeyScope): Promise<ClaimedKey | undefined> {
  return await readRow<FromRow<Columns<'idempotency_keys', 'fingerprint' | 'task_id' | 'response_body'>>>(db)`
    select fingerprint, task_id, response_body from idempotency_keys
    where account_id = ${accountId} and mode = ${mode} and key = ${key}`;
}

/** The first response stored is the response for ever; returns that one. */
export async function storeResponse(db: Db, { accountId, mode, key }: KeyScope, body: string): Promise<string> {
  return (
    (await readValue<Row<'idempotency_keys'>['response_body']>(db)`
    update idempotency_keys set response_body = coalesce(response_body, ${body})
    where account_id = ${accountId} and mode = ${mode} and key = ${key} returning response_body`) ?? body
  );
}
