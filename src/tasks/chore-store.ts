import { sql } from 'kysely';
import type { Columns } from '../platform/database-types.ts';
import type { Db } from '../platform/postgres.ts';

/** True for one process of all in every interval. */
export async function claimChore(db: Db, name: string, intervalMs: number): Promise<boolean> {
  const { rows } = await sql<Columns<'chores', 'name'>>`
    insert into chores as c (name, next_at) values (${name}, now() + ${intervalMs} * interval '1 millisecond')
    on conflict (name) do update set next_at = excluded.next_at where c.next_at <= now()
    returning name`.execute(db);
  return rows.length > 0;
}
