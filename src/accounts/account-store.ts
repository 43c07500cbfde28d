import { sql } from 'kysely';
import { AppError, badField } from '../errors.ts';
import { change, columnsOf, type Read, type RowOf, readRow, readRows, readValue } from '../platform/from-row.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import { violatedConstraint } from '../platform/postgres.ts';
import { type Account, type ApiKey, accountNameKey, checkRateLimit } from './account.ts';
import type { KeyMode } from './api-key.ts';

/** @throws BAD_REQUEST when the name is taken */
export async function insertAccount(
  trx: Trx,
  account: Omit<Account, 'createdAt' | 'creditPreviews' | 'lowBalanceCredits' | 'suspendedAt' | 'suspendedReason'>,
): Promise<Account> {
  try {
    return await readAccount(trx)`
      insert into accounts (id, name, name_key, rate_limit_per_minute, billing_period)
      values (${account.id}, ${account.name}, ${accountNameKey(account.name)}, ${account.rateLimitPerMinute}, ${account.billingPeriod})
      returning ${accountColumns}`;
  } catch (error) {
    if (violatedConstraint(error) === 'accounts_name_unique')
      throw badField('NAME_TAKEN', `An account named "${account.name}" exists already.`, 'name');
    throw error;
  }
}

const accountColumns = columnsOf(
  'accounts',
  'id name rate_limit_per_minute billing_period credit_previews low_balance_credits suspended_at suspended_reason created_at',
);
type AccountRow = RowOf<typeof accountColumns>;

/** For a statement that changes one account. */
function readAccount(db: Db): Read<Account> {
  return async (...statement) => {
    const account = await readRow<AccountRow>(db)(...statement);
    if (account === undefined) throw new Error('The statement returned no row.');
    return account;
  };
}

/** By id, or by name in any case. @throws NOT_FOUND */
export async function findAccount(db: Db, idOrName: string): Promise<Account> {
  const account = await readRow<AccountRow>(db)`
    select ${accountColumns} from accounts
    where id = ${idOrName} or name_key = ${accountNameKey(idOrName)}
    order by id = ${idOrName} desc limit 1`;
  if (!account) throw new AppError('NOT_FOUND', `There is no account "${idOrName}".`);
  return account;
}

export async function listAccounts(db: Db): Promise<Account[]> {
  return await readRows<AccountRow>(db)`select ${accountColumns} from accounts order by created_at, id`;
}

export interface AccountChanges {
  rateLimitPerMinute?: number | undefined;
  creditPreviews?: boolean | undefined;
  /** 0 = no threshold. */
  lowBalanceCredits?: number | undefined;
}

/** Changes only the given values. @throws BAD_REQUEST */
export async function updateAccount(db: Db, id: string, changes: AccountChanges): Promise<Account> {
  if (changes.rateLimitPerMinute !== undefined) checkRateLimit(changes.rateLimitPerMinute);
  return await readAccount(db)`
    update accounts set rate_limit_per_minute = coalesce(${changes.rateLimitPerMinute ?? null}, rate_limit_per_minute),
      credit_previews = coalesce(${changes.creditPreviews ?? null}, credit_previews),
      low_balance_credits = nullif(coalesce(${changes.lowBalanceCredits ?? null}, low_balance_credits), 0)
    where id = ${id}
    returning ${accountColumns}`;
}

/** Suspending twice keeps the first time and the last reason. */
export async function setSuspension(db: Db, id: string, suspension: { reason: string } | undefined): Promise<Account> {
  return await readAccount(db)`
    update accounts set
      suspended_at = ${suspension ? sql`coalesce(suspended_at, now())` : null},
      suspended_reason = ${suspension?.reason ?? null}
    where id = ${id}
    returning ${accountColumns}`;
}

/** Besides one of the house, which nobody has asked for. */
export async function hasAccounts(db: Db, houseAccount: string): Promise<boolean> {
  return (await readValue<boolean>(db)`select exists (select from accounts where name <> ${houseAccount})`) === true;
}

/** For the operator's view of an installation. */
export async function countAccounts(db: Db): Promise<{ accounts: number; liveKeys: number }> {
  const counts = await readRow<{ accounts: number; liveKeys: number }>(db)`
    select (select count(*) from accounts) as accounts,
      (select count(*) from api_keys where revoked_at is null) as live_keys`;
  return counts ?? { accounts: 0, liveKeys: 0 };
}

/** For whom a key asks that was not revoked: a signed URL dies with the key that asked for it. */
export async function ownerOfKey(db: Db, keyId: string): Promise<{ owner: Owner; isSuspended: boolean } | undefined> {
  const row = await readRow<Owner & { isSuspended: boolean }>(db)`
    select a.id as account_id, k.mode = 'test' as sandbox, a.suspended_at is not null as is_suspended from api_keys k join accounts a on a.id = k.account_id
    where k.id = ${keyId} and k.revoked_at is null`;
  return row && { owner: { accountId: row.accountId, sandbox: row.sandbox }, isSuspended: row.isSuspended };
}

export interface NewKey {
  id: string;
  accountId: string;
  hash: Buffer;
  prefix: string;
  mode: KeyMode;
}

/** False when the random prefix is taken (one in several million); the caller tries another. */
export async function insertKey(db: Db, key: NewKey): Promise<boolean> {
  const inserted = await change(db)`
    insert into api_keys (id, account_id, hash, prefix, mode)
    values (${key.id}, ${key.accountId}, ${key.hash}, ${key.prefix}, ${key.mode})
    on conflict (prefix) do nothing`;
  return inserted === 1;
}

const keyColumns = columnsOf('api_keys', 'id account_id prefix mode created_at revoked_at last_used_at');
type KeyRow = RowOf<typeof keyColumns> & { accountName: string };

export async function listKeys(db: Db, accountId?: string): Promise<ApiKey[]> {
  return await readRows<KeyRow>(db)`
    select ${keyColumns}, a.name as account_name from api_keys join accounts a on a.id = account_id
    where ${accountId ?? null}::text is null or account_id = ${accountId ?? null}
    order by api_keys.created_at, api_keys.id`;
}

/** By prefix or id; revoking twice keeps the first time. @throws NOT_FOUND */
export async function revokeKey(db: Db, prefixOrId: string): Promise<ApiKey> {
  const key = await readRow<KeyRow>(db)`
    update api_keys set revoked_at = coalesce(revoked_at, now()) from accounts a
    where a.id = account_id and (prefix = ${prefixOrId} or api_keys.id = ${prefixOrId})
    returning ${keyColumns}, a.name as account_name`;
  if (!key) throw new AppError('NOT_FOUND', `There is no key with the prefix or id "${prefixOrId}".`);
  return key;
}
