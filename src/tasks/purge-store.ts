import { sql } from 'kysely';
import type { Row } from '../platform/database-types.ts';
import { readValues } from '../platform/from-row.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import { hurryLooseObjects } from './object-store.ts';
import { deleteText } from './source-text-store.ts';
import { actions, type Task } from './task.ts';
import { readTask, taskColumns } from './task-store.ts';

/** The rows of a task that has ended and that the transaction has locked. */
export async function purgeRows(trx: Trx, task: Task): Promise<Task> {
  if (task.purgedAt) return task;
  await deleteText(trx, task.id);
  await sql`delete from task_chapters where task_id = ${task.id}`.execute(trx);
  await sql`delete from checkpoints where task_id = ${task.id}`.execute(trx);
  await sql`delete from memory_blocks where task_id = ${task.id}`.execute(trx);
  await sql`delete from task_outputs where task_id = ${task.id}`.execute(trx);
  await hurryLooseObjects(trx, task.id);
  await sql`delete from task_log where task_id = ${task.id}`.execute(trx);
  await sql`delete from task_corrections where task_id = ${task.id}`.execute(trx);
  await sql`delete from task_correction_history where task_id = ${task.id}`.execute(trx);
  await sql`delete from task_correction_texts where task_id = ${task.id}`.execute(trx);
  await sql`delete from task_approvals where task_id = ${task.id}`.execute(trx);
  await sql`delete from task_term_fixes where task_id = ${task.id}`.execute(trx);
  await sql`
    with gone as (delete from reader_links where task_id = ${task.id} returning id)
    delete from rate_limits using gone where key_id = gone.id`.execute(trx);
  const purged = await readTask(trx)`
    update tasks set purged_at = now(), source_key = null, glossary = null, ordered_terms = null, style = null, context = null, result = null, result_bytes = 0,
      stored_bytes = 0, book_title = null
    where id = ${task.id} returning ${taskColumns}`;
  if (actions[task.action].inline) {
    await sql`update idempotency_keys set response_body = null where task_id = ${task.id}`.execute(trx);
  }
  return purged as Task;
}

/** Tasks whose retention is over, oldest first. */
export async function findExpired(db: Db, retentionDays: number, limit: number): Promise<string[]> {
  return await readValues<Row<'tasks'>['id']>(db)`
    select id from tasks where purged_at is null and ended_at < now() - make_interval(days => ${retentionDays})
    order by ended_at limit ${limit}`;
}
