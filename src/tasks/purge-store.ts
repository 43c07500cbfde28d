import { sql } from 'kysely';
import type { Row } from '../platform/database-types.ts';
import { change, readValues } from '../platform/from-row.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import { hurryLooseObjects } from './object-store.ts';
import { actions, type Task } from './task.ts';
import { readTask, taskColumns } from './task-store.ts';

/** Every table with text of a task. */
const textTables = [
  ...['task_texts', 'task_chapters', 'checkpoints', 'memory_blocks', 'task_outputs', 'task_log', 'task_corrections'],
  ...['task_correction_history', 'task_correction_texts', 'task_approvals', 'task_term_fixes'],
];

/** The rows of a task that has ended and that the transaction has locked. */
export async function purgeRows(trx: Trx, task: Task): Promise<Task> {
  if (task.purgedAt) return task;
  for (const table of textTables) await change(trx)`delete from ${sql.table(table)} where task_id = ${task.id}`;
  await hurryLooseObjects(trx, task.id);
  await change(trx)`
    with gone as (delete from reader_links where task_id = ${task.id} returning id)
    delete from rate_limits using gone where key_id = gone.id`;
  const purged = await readTask(trx)`
    update tasks set purged_at = now(), source_key = null, glossary = null, ordered_terms = null, style = null, context = null, result = null, result_bytes = 0,
      stored_bytes = 0, book_title = null
    where id = ${task.id} returning ${taskColumns}`;
  if (actions[task.action].inline)
    await change(trx)`update idempotency_keys set response_body = null where task_id = ${task.id}`;
  return purged as Task;
}

/** Tasks whose retention is over, oldest first. */
export async function findExpired(db: Db, retentionDays: number, limit: number): Promise<string[]> {
  return await readValues<Row<'tasks'>['id']>(db)`
    select id from tasks where purged_at is null and ended_at < now() - make_interval(days => ${retentionDays})
    order by ended_at limit ${limit}`;
}
