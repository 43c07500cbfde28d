import { sql } from 'kysely';
import type { Db } from '../platform/postgres.ts';

export interface Spending {
  /** As a decimal; calls that were estimated count too. */
  spent: string;
  /** That have reported the engine in the last half minute. */
  processes: number;
}

/** What engines have cost today, by the database's clock. */
export async function readSpending(
  db: Db,
  names: readonly string[],
): Promise<{ day: string; engines: Map<string, Spending> }> {
  const { rows } = await sql<{ day: string; engine: string; spent: string; processes: number }>`
    select to_char(today.day, 'YYYY-MM-DD') as day, e.engine, (
      select coalesce(sum(coalesce(cost, 0) + coalesce(estimated_cost, 0)), 0)::text from engine_usage_days u
      where u.day = today.day and u.engine = e.engine
    ) as spent, (
      select greatest(1, count(*))::int from engine_states s where s.engine = e.engine and s.seen_at > now() - interval '30 seconds'
    ) as processes
    from (select (now() at time zone 'UTC')::date as day) today, unnest(${[...names]}::text[]) as e (engine)`.execute(
    db,
  );
  return {
    day: rows[0]?.day ?? '',
    engines: new Map(rows.map(({ engine, spent, processes }) => [engine, { spent, processes }])),
  };
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
  const { rows } = await sql<{
    day: string;
    account_id: string | null;
    account_name: string | null;
    engine: string;
    calls: number;
    cost: string;
    estimated_cost: string;
  }>`
    select to_char(u.day, 'YYYY-MM-DD') as day, ${account}, u.engine, sum(u.calls)::bigint as calls,
      coalesce(sum(u.cost), 0)::text as cost, coalesce(sum(u.estimated_cost), 0)::text as estimated_cost
    from engine_usage_days u join accounts a on a.id = u.account_id
    where u.day between ${query.from}::date and ${query.to}::date and ${ofAccount} and (u.cost is not null or u.estimated_cost is not null)
    group by ${groups} order by u.day desc, ${sql.raw(query.byAccount ? 'a.name, a.id, ' : '')}u.engine limit ${query.limit}`.execute(
    db,
  );
  return rows.map((row) => ({
    day: row.day,
    accountId: row.account_id ?? undefined,
    accountName: row.account_name ?? undefined,
    engine: row.engine,
    calls: row.calls,
    cost: row.cost,
    estimatedCost: row.estimated_cost,
  }));
}
