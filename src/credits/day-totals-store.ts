import { sql } from 'kysely';
import { readRows } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';

export interface DayTotal {
  /** In UTC. */
  day: string;
  completed: number;
  failed: number;
  cancelled: number;
  characters: number;
  credits: number;
}

/** Every one of the last days, also those without a task; the oldest first. */
export async function totalsByDay(
  db: Db,
  { days, accountId, sandbox = false }: { days: number; accountId?: string | undefined; sandbox?: boolean },
): Promise<DayTotal[]> {
  const ofAccount = accountId === undefined ? sql`` : sql`and u.account_id = ${accountId}`;
  return await readRows<DayTotal>(db)`
    with shown as (
      select (now() at time zone 'UTC')::date - n as day from generate_series(0, ${days}::int - 1) n
    ), summed as (
      select u.day, ${sums} from usage_days u
      where u.day > (now() at time zone 'UTC')::date - ${days}::int and u.sandbox = ${sandbox} ${ofAccount} group by u.day
    )
    select to_char(shown.day, 'YYYY-MM-DD') as day, ${shown}
    from shown left join summed on summed.day = shown.day order by shown.day`;
}

const counts = ['completed', 'failed', 'cancelled', 'characters', 'credits'];
const sums = sql.raw(counts.map((name) => `sum(u.${name})::bigint as ${name}`).join(', '));
const shown = sql.raw(counts.map((name) => `coalesce(summed.${name}, 0)::bigint as ${name}`).join(', '));
