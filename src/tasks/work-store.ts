import { sql } from 'kysely';
import type { Trx } from '../platform/postgres.ts';
import type { Work } from './price.ts';

/** What was done for a task so far, for its price. */
export async function readWork(trx: Trx, taskId: string): Promise<Work> {
  const { rows } = await sql<Work>`
    select coalesce(sum(characters) filter (where kind = 'segment'), 0)::bigint as segments,
      coalesce(sum(characters) filter (where kind = 'recall'), 0)::bigint as recalled,
      coalesce(sum(paid_characters), 0)::bigint as "paidBefore",
      coalesce(sum(characters) filter (where kind = 'extraction'), 0)::bigint as extractions
    from checkpoints where task_id = ${taskId}`.execute(trx);
  return rows[0] as Work;
}
