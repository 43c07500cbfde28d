import { sql } from 'kysely';
import { AppError, badRequest } from '../errors.ts';
import type { Columns, Row } from '../platform/database-types.ts';
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
    const { rows } = await sql<Columns<'accounts', 'created_at'>>`
      insert into accounts (id, name, name_key, rate_limit_per_minute, billing_period)
      values (${account.id}, ${account.name}, ${accountNameKey(account.name)}, ${account.rateLimitPerMinute}, ${account.billingPeriod})
      returning created_at`.execute(trx);
    return {
      ...account,
      creditPreviews: false,
      lowBalanceCredits: undefined,
      suspendedAt: undefined,
      suspendedReason: undefined,
      createdAt: first(rows).created_at,
    };
  } catch (error) {
    if (violatedConstraint(error) === 'accounts_name_unique') {
      throw badRequest(`An account named "${account.name}" exists already.`, { field: 'name', reason: 'NAME_TAKEN' });
    }
    throw error;
  }
}

const accountColumnNames = [
  ...(['id', 'name', 'rate_limit_per_minute', 'billing_period', 'credit_previews', 'low_balance_credits'] as const),
  ...(['suspended_at', 'suspended_reason', 'created_at'] as const),
];
type AccountRow = Columns<'accounts', (typeof accountColumnNames)[number]>;
const accountColumns = sql.raw(accountColumnNames.join(', '));

/** By id, or by name in any case. @throws NOT_FOUND */
export async function findAccount(db: Db, idOrName: string): Promise<Account> {
  const { rows } = await sql<AccountRow>`
    select ${accountColumns} from accounts
    where id = ${idOrName} or name_key = ${accountNameKey(idOrName)}
    order by id = ${idOrName} desc limit 1`.execute(db);
  const row = rows[0];
  if (!row) throw new AppError('NOT_FOUND', `There is no account "${idOrName}".`);
  return toAccount(row);
}

export async function listAccounts(db: Db): Promise<Account[]> {
  const { rows } = await sql<AccountRow>`
    select ${accountColumns} from accounts order by created_at, id`.execute(db);
  return rows.map(toAccount);
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
  const { rows } = await sql<AccountRow>`
    update accounts set rate_limit_per_minute = coalesce(${changes.rateLimitPerMinute ?? null}, rate_limit_per_minute),
      credit_previews = coalesce(${changes.creditPreviews ?? null}, credit_previews),
      low_balance_credits = nullif(coalesce(${changes.lowBalanceCredits ?? null}, low_balance_credits), 0)
    where id = ${id}
    returning ${accountColumns}`.execute(db);
  return toAccount(first(rows));
}

/** Suspending twice keeps the first time and the last reason. */
export async function setSuspension(db: Db, id: string, suspension: { reason: string } | undefined): Promise<Account> {
  const { rows } = await sql<AccountRow>`
    update accounts set
      suspended_at = ${suspension ? sql`coalesce(suspended_at, now())` : null},
      suspended_reason = ${suspension?.reason ?? null}
    where id = ${id}
    returning ${accountColumns}`.execute(db);
  return toAccount(first(rows));
}

/** Several processes report the same key; the latest use stays. */
export async function saveKeyUses(db: Db, uses: ReadonlyMap<string, Date>): Promise<void> {
  await sql`
    update api_keys k set last_used_at = greatest(k.last_used_at, used.at)
    from unnest(${[...uses.keys()]}::text[], ${[...uses.values()]}::timestamptz[]) as used(id, at)
    where k.id = used.id`.execute(db);
}

export async function hasAccounts(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (select from accounts) as found`.execute(db);
  return first(rows).found;
}

/** For the operator's view of an installation. */
export async function countAccounts(db: Db): Promise<{ accounts: number; liveKeys: number }> {
  const { rows } = await sql<{ accounts: number; liveKeys: number }>`
    select (select count(*) from accounts) as accounts,
      (select count(*) from api_keys where revoked_at is null) as "liveKeys"`.execute(db);
  return first(rows);
}

/** For whom a key asks that was not revoked: a signed URL dies with the key that asked for it. */
export async function ownerOfKey(db: Db, keyId: string): Promise<{ owner: Owner; isSuspended: boolean } | undefined> {
  const { rows } = await sql<{ id: string; sandbox: boolean; suspended: boolean }>`
    select a.id, k.mode = 'test' as sandbox, a.suspended_at is not null as suspended from api_keys k join accounts a on a.id = k.account_id
    where k.id = ${keyId} and k.revoked_at is null`.execute(db);
  const row = rows[0];
  return row && { owner: { accountId: row.id, sandbox: row.sandbox }, isSuspended: row.suspended };
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
  const result = await sql`
    insert into api_keys (id, account_id, hash, prefix, mode)
    values (${key.id}, ${key.accountId}, ${key.hash}, ${key.prefix}, ${key.mode})
    on conflict (prefix) do nothing`.execute(db);
  return result.numAffectedRows === 1n;
}

type KeyRow = Columns<
  'api_keys',
  'id' | 'account_id' | 'prefix' | 'mode' | 'created_at' | 'revoked_at' | 'last_used_at'
> & { account_name: Row<'accounts'>['name'] };

export async function listKeys(db: Db, accountId?: string): Promise<ApiKey[]> {
  const { rows } = await sql<KeyRow>`
    select k.id, k.account_id, a.name as account_name, k.prefix, k.mode, k.created_at, k.revoked_at, k.last_used_at
    from api_keys k join accounts a on a.id = k.account_id
    where ${accountId ?? null}::text is null or k.account_id = ${accountId ?? null}
    order by k.created_at, k.id`.execute(db);
  return rows.map(toKey);
}

/** By prefix or id; revoking twice keeps the first time. @throws NOT_FOUND */
export async function revokeKey(db: Db, prefixOrId: string): Promise<ApiKey> {
  const { rows } = await sql<KeyRow>`
    update api_keys k set revoked_at = coalesce(k.revoked_at, now())
    from accounts a
    where a.id = k.account_id and (k.prefix = ${prefixOrId} or k.id = ${prefixOrId})
    returning k.id, k.account_id, a.name as account_name, k.prefix, k.mode, k.created_at, k.revoked_at, k.last_used_at`.execute(
    db,
  );
  const row = rows[0];
  if (!row) throw new AppError('NOT_FOUND', `There is no key with the prefix or id "${prefixOrId}".`);
  return toKey(row);
}

function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    rateLimitPerMinute: row.rate_limit_per_minute,
    billingPeriod: row.billing_period,
    creditPreviews: row.credit_previews,
    lowBalanceCredits: row.low_balance_credits ?? undefined,
    suspendedAt: row.suspended_at ?? undefined,
    suspendedReason: row.suspended_reason ?? undefined,
    createdAt: row.created_at,
  };
}

function toKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    accountName: row.account_name,
    prefix: row.prefix,
    mode: row.mode,
    createdAt: row.created_at,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}

function first<T>(rows: T[]): T {
  const row = rows[0];
  if (row === undefined) throw new Error('The statement returned no row.');
  return row;
}
