import { sql } from 'kysely';
import { readRows } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';

export interface StoredLimits {
  endpoint: string;
  learned: Record<string, unknown>;
  /** When the first of it was learned: all of it is forgotten a day later. */
  learnedAt: Date;
}

export async function readLearnedLimits(db: Db, endpoints: readonly string[]): Promise<StoredLimits[]> {
  return await readRows<StoredLimits>(db)`
    select endpoint, learned, learned_at from learned_limits
    where learned_at > now() - interval '1 day' and endpoint = any(${[...endpoints]})
    order by endpoint`;
}

export async function saveLearnedLimits(
  db: Db,
  endpoint: string,
  learned: Readonly<Record<string, unknown>>,
): Promise<void> {
  await sql`
    insert into learned_limits (endpoint, learned) values (${endpoint}, ${JSON.stringify(learned)})
    on conflict (endpoint) do update set learned = excluded.learned, changed_at = now()`.execute(db);
}

/** @returns whether there was anything */
export async function forgetLearnedLimits(db: Db, endpoints: readonly string[]): Promise<boolean> {
  const { rows } =
    await sql`delete from learned_limits where endpoint = any(${[...endpoints]}) returning endpoint`.execute(db);
  return rows.length > 0;
}

export async function forgetOldLimits(db: Db): Promise<void> {
  await sql`delete from learned_limits where learned_at <= now() - interval '1 day'`.execute(db);
}
