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
  day: "to_char(u.day, 'YYYY-MM-DD') as day",
  account: 'u.account_id, a.name as account_name',
  action: 'u.action',
  pair: 'u.source_lang, u.target_lang',
};
const groupKeys: Record<UsageGroup, string> = {
  day: 'u.day',
  account: 'a.name, u.account_id',
  action: 'u.action',
  pair: 'u.source_lang, u.target_lang',
};

/** Ended tasks of live keys. Test keys move no credits and cost nothing. */
export async function readUsage(db: Db, query: UsageQuery): Promise<UsageLine[]> {
  const by = usageGroups.filter((group) => query.by.includes(group));
  const select = sql.raw(by.map((group) => `${groupColumns[group]}, `).join(''));
  const keys = by.map((group) => groupKeys[group]).join(', ');
  const grouping = keys === '' ? sql`` : sql.raw(`group by ${keys} order by ${keys}`);
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
    select ${select} ${totals} from usage_days u join accounts a on a.id = u.account_id
    where ${sql.join(conditions, sql` and `)} ${grouping} limit ${query.limit}`.execute(db);
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
