import { type RawBuilder, sql } from 'kysely';
import { type Account, accountNameKey } from '../accounts/account.ts';
import { readRows } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';

export type ListedAccount = Pick<Account, 'id' | 'name' | 'rateLimitPerMinute' | 'suspendedAt' | 'createdAt'> &
  Record<'available' | 'reserved' | 'spent', number>;

export interface AccountSearch {
  /** An id, or how a name begins, in any case. */
  text?: string | undefined;
  /** Accounts older than this one. */
  before?: string | undefined;
  limit: number;
}

/** Newest first. */
export async function searchAccounts(db: Db, { text, before, limit }: AccountSearch): Promise<ListedAccount[]> {
  const conditions: RawBuilder<unknown>[] = [sql`true`];
  if (text !== undefined && text !== '') {
    const start = accountNameKey(text).replace(/[\\%_]/g, '\\$&');
    conditions.push(/^acc_[0-9a-z]{26}$/.test(text) ? sql`a.id = ${text}` : sql`a.name_key like ${`${start}%`}`);
  }
  if (before !== undefined)
    conditions.push(sql`(a.created_at, a.id) < (select o.created_at, o.id from accounts o where o.id = ${before})`);
  return await readRows<ListedAccount>(db)`
    select a.id, a.name, a.rate_limit_per_minute, a.suspended_at, b.available, b.reserved, b.spent, a.created_at
    from (
      select * from accounts a where ${sql.join(conditions, sql` and `)} order by a.created_at desc, a.id desc limit ${limit}
    ) a join credit_balances b on b.account_id = a.id order by a.created_at desc, a.id desc`;
}
