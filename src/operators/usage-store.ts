import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../platform/postgres.ts';

export const usageGroups = ['day', 'account', 'action', 'pair'] as const;
export type UsageGroup = (typeof usageGroups)[number];

export interface UsageQuery {
  /** Whole days in UTC, both included. */
  from: string;
  to: string;
  accountId?: string | undefined;
  by: readonly UsageGroup[];
  limit: number;
}

export interface UsageLine {
  day: string | undefined;
  accountId: string | undefined;
  accountName: string | undefined;
  action: string | undefined;
  sourceLang: string | undefined;
  targetLang: string | undefined;
  completed: number;
  failed: number;
  cancelled: number;
  characters: number;
  credits: number;
}

const groupColumns: Record<UsageGroup, string> = {
  day: 'day',
  account: 'account_id',
  action: 'action',
  pair: 'source_lang, target_lang',
};
const selectColumns = { ...groupColumns, day: "to_char(day, 'YYYY-MM-DD') as day" };
const orderColumns = { ...groupColumns, account: 'a.name, u.account_id' };

/** Ended tasks of live keys, added up before the names are looked up. Test keys move no credits and cost nothing. */
export async function readUsage(db: Db, query: UsageQuery): Promise<UsageLine[]> {
  const by = usageGroups.filter((group) => query.by.includes(group));
  const list = (columns: Record<UsageGroup, string>) => by.map((group) => columns[group]).join(', ');
  const grouped = by.length > 0;
  const select = sql.raw(grouped ? `${list(selectColumns)}, ` : '');
  const group = sql.raw(grouped ? `group by ${list(groupColumns)}` : '');
  const order = sql.raw(grouped ? `order by ${list(orderColumns)}` : '');
  const named = by.includes('account');
  const conditions: RawBuilder<unknown>[] = [
    sql`u.day between ${query.from}::date and ${query.to}::date`,
    sql`not u.sandbox`,
  ];
  if (query.accountId !== undefined) conditions.push(sql`u.account_id = ${query.accountId}`);
  const { rows } = await sql<
    TotalRow & {
      day?: string;
      account_id?: string;
      account_name?: string;
      action?: string;
      source_lang?: string;
      target_lang?: string;
    }
  >`
    select u.* ${named ? sql`, a.name as account_name` : sql``}
    from (select ${select} ${totals} from usage_days u where ${sql.join(conditions, sql` and `)} ${group}) u
    ${named ? sql`join accounts a on a.id = u.account_id` : sql``} ${order} limit ${query.limit}`.execute(db);
  return rows.map((row) => ({
    day: row.day,
    accountId: row.account_id,
    accountName: row.account_name,
    action: row.action,
    sourceLang: row.source_lang,
    targetLang: row.target_lang,
    completed: row.completed,
    failed: row.failed,
    cancelled: row.cancelled,
    characters: row.characters,
    credits: row.credits,
  }));
}

interface TotalRow {
  completed: number;
  failed: number;
  cancelled: number;
  characters: number;
  credits: number;
}

const totals = sql.raw(
  ['completed', 'failed', 'cancelled', 'characters', 'credits']
    .map((name) => `coalesce(sum(u.${name}), 0)::bigint as ${name}`)
    .join(', '),
);

export interface DayTotal extends TotalRow {
  day: string;
}

/** Every one of the last days, also those without a task; the oldest first. */
export async function totalsByDay(
  db: Db,
  { days, accountId }: { days: number; accountId?: string | undefined },
): Promise<DayTotal[]> {
  const ofAccount = accountId === undefined ? sql`` : sql`and u.account_id = ${accountId}`;
  const { rows } = await sql<DayTotal>`
    with shown as (
      select (now() at time zone 'UTC')::date - n as day from generate_series(0, ${days}::int - 1) n
    ), summed as (
      select u.day, ${totals} from usage_days u
      where u.day > (now() at time zone 'UTC')::date - ${days}::int and not u.sandbox ${ofAccount} group by u.day
    )
    select to_char(shown.day, 'YYYY-MM-DD') as day, coalesce(completed, 0)::bigint as completed, coalesce(failed, 0)::bigint as failed,
      coalesce(cancelled, 0)::bigint as cancelled, coalesce(characters, 0)::bigint as characters, coalesce(credits, 0)::bigint as credits
    from shown left join summed on summed.day = shown.day order by shown.day`.execute(db);
  return rows;
}
