import { sql } from 'kysely';
import type { DayTotal } from '../credits/day-totals-store.ts';
import { readRows } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';

export const usageGroups = ['day', 'account', 'action', 'pair'] as const;
export type UsageGroup = (typeof usageGroups)[number];
export const usageSums = ['completed', 'failed', 'cancelled', 'characters', 'credits'] as const;

export interface UsageQuery {
  /** Whole days in UTC, both included. */
  from: string;
  to: string;
  accountId?: string | undefined;
  by: readonly UsageGroup[];
  limit: number;
}

export type UsageLine = Omit<DayTotal, 'day'> &
  Record<'day' | 'accountId' | 'accountName' | 'action' | 'sourceLang' | 'targetLang', string | undefined>;

const groupColumns: Record<UsageGroup, string> = {
  day: 'd.day',
  account: 'a.name, a.id',
  action: 'action',
  pair: 'source_lang, target_lang',
};
const shownColumns: Record<UsageGroup, string> = {
  ...groupColumns,
  day: "to_char(d.day, 'YYYY-MM-DD') as day",
  account: 'a.name as account_name, a.id as account_id',
};

/** The same outside. */
const lineOrder: Record<UsageGroup, string> = {
  day: 'lines.day',
  account: 'lines.account_name, lines.account_id',
  action: 'lines.action',
  pair: 'lines.source_lang, lines.target_lang',
};

/**
 * Ended tasks of live keys; test keys move no credits and cost nothing. One day, or one account, is added up after the other in
 * the order shown. So a page adds up little more than it shows.
 */
export async function readUsage(db: Db, query: UsageQuery): Promise<UsageLine[]> {
  const by = usageGroups.filter((group) => query.by.includes(group));
  const range = { from: sql`${query.from}::date`, to: sql`${query.to}::date` };
  const ofAccount = query.accountId === undefined ? sql`true` : sql`account_id = ${query.accountId}`;
  // The first group is gone through; the others are grouped within it.
  const outer = by[0] === 'day' || by[0] === 'account' ? by[0] : undefined;
  const inner = by.filter((group) => group !== outer);
  const columns = sql.raw(inner.map((group) => `${shownColumns[group]}, `).join(''));
  const groups = inner.map((group) => groupColumns[group]).join(', ');
  const within = {
    day: sql`u.day = d.day`,
    account: sql`u.account_id = a.id and u.day between ${range.from} and ${range.to}`,
  };
  const summed = sql`
    select ${columns} ${totals} from usage_days u ${inner.includes('account') ? sql`join accounts a on a.id = u.account_id` : sql``}
    where not u.sandbox and ${ofAccount} and ${outer === undefined ? sql`u.day between ${range.from} and ${range.to}` : within[outer]}
    ${groups === '' ? sql`having count(*) > 0` : sql.raw(`group by ${groups} order by ${groups}`)}`;
  // In order, so that the planner stops at the limit: it need not add up the days that come after it.
  const through = {
    day: sql`(select day::date as day from generate_series(${range.from}, ${range.to}, interval '1 day') day order by 1) d`,
    account: sql`(select * from accounts where ${query.accountId === undefined ? sql`true` : sql`id = ${query.accountId}`}) a`,
  };
  const order = [outer && groupColumns[outer], ...inner.map((group) => lineOrder[group])].filter(Boolean).join(', ');
  return await readRows<UsageLine>(db)`
    select ${outer === undefined ? sql`` : sql.raw(`${shownColumns[outer]}, `)} lines.* from
    ${outer === undefined ? sql`` : sql`${through[outer]} cross join lateral`} (${summed}) lines
    ${order === '' ? sql`` : sql.raw(`order by ${order}`)} limit ${query.limit}`;
}

const totals = sql.raw(usageSums.map((name) => `coalesce(sum(u.${name}), 0)::bigint as ${name}`).join(', '));
