import { readCount, readRows } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';

/** Characters of finished passages in each of the last minutes, the oldest first. */
export async function charactersByMinute(db: Db, minutes: number): Promise<number[]> {
  const rows = await readRows<{ ago: number; characters: number }>(db)`
    select floor(extract(epoch from now() - created_at) / 60)::int as ago, sum(characters)::bigint as characters
    from checkpoints where created_at > now() - make_interval(mins => ${minutes}) and kind = 'segment' group by 1`;
  const characters = new Map(rows.map((row) => [row.ago, row.characters]));
  return Array.from({ length: minutes }, (_, i) => characters.get(minutes - 1 - i) ?? 0);
}

/** Failed tasks of the last day by the code of their error, the most frequent first. */
export async function failuresOfLastDay(db: Db): Promise<{ code: string; tasks: number }[]> {
  return await readRows<{ code: string; tasks: number }>(db)`
    select error_code as code, count(*)::int as tasks from tasks
    where status = 'failed' and ended_at > now() - interval '1 day' group by 1 order by 2 desc, 1 limit 8`;
}

export async function databaseBytes(db: Db): Promise<number> {
  return await readCount(db)`select pg_database_size(current_database())`;
}
