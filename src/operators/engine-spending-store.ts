import { sql } from 'kysely';
import { readRow, readRows } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';

/**
 * Takes from what is left of an engine's budget of a day, at most what there is, or gives back (`wanted` below 0). One statement, so that all
 * processes together never hold and spend more than the budget. A day begins with what its costs are already. In millionths of a millionth.
 */
export async function reserveSpending(
  db: Db,
  { engine, day, budget, wanted }: { engine: string; day: string; budget: bigint; wanted: bigint },
): Promise<{ granted: bigint; left: bigint }> {
  const money = (amount: bigint) => sql`${String(amount)}::numeric / 1000000000000`;
  const row = await readRow<{ granted: string; left: string }>(db)`
    insert into engine_reservations as r (engine, day, reserved, granted)
    select ${engine}, ${day}::date, spent + granted, granted from (
      select spent, least(${money(wanted)}, greatest(0, ${money(budget)} - spent)) as granted from (
        select coalesce(sum(coalesce(cost, 0) + coalesce(estimated_cost, 0)), 0) as spent from engine_usage_days
        where day = ${day}::date and engine = ${engine}) s) g
    on conflict (engine, day) do update set
      reserved = r.reserved + least(${money(wanted)}, greatest(0, ${money(budget)} - r.reserved)),
      granted = least(${money(wanted)}, greatest(0, ${money(budget)} - r.reserved))
    returning trunc(granted * 1000000000000)::text as granted, trunc(greatest(0, ${money(budget)} - reserved) * 1000000000000)::text as left`;
  return { granted: BigInt(row?.granted ?? '0'), left: BigInt(row?.left ?? '0') };
}

export interface CostLine {
  /** In UTC. */
  day: string;
  accountId: string | undefined;
  accountName: string | undefined;
  engine: string;
  calls: number;
  /** As a decimal, in the currency of the prices. */
  cost: string;
  /** Of calls whose server never said what they used. */
  estimatedCost: string;
}

/** What engines cost on each day, the newest first. Engines without prices are left out. */
export async function readCosts(
  db: Db,
  query: { from: string; to: string; accountId?: string | undefined; byAccount: boolean; limit: number },
): Promise<CostLine[]> {
  const account = query.byAccount
    ? sql`a.id as account_id, a.name as account_name`
    : sql`null as account_id, null as account_name`;
  const groups = sql.raw(query.byAccount ? 'u.day, a.id, a.name, u.engine' : 'u.day, u.engine');
  const ofAccount = query.accountId === undefined ? sql`true` : sql`u.account_id = ${query.accountId}`;
  return await readRows<CostLine>(db)`
    select to_char(u.day, 'YYYY-MM-DD') as day, ${account}, u.engine, sum(u.calls)::bigint as calls,
      coalesce(sum(u.cost), 0)::text as cost, coalesce(sum(u.estimated_cost), 0)::text as estimated_cost
    from engine_usage_days u join accounts a on a.id = u.account_id
    where u.day between ${query.from}::date and ${query.to}::date and ${ofAccount} and (u.cost is not null or u.estimated_cost is not null)
    group by ${groups} order by u.day desc, ${sql.raw(query.byAccount ? 'a.name, a.id, ' : '')}u.engine limit ${query.limit}`;
}
