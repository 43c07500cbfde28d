import { sql } from 'kysely';
import type { Database } from '../platform/postgres.ts';
import type { Task, TaskOutput } from './task.ts';
import { requireTaskId, type TaskRow, taskColumns, taskNotFound, toTask } from './task-store.ts';

export interface PolledTask {
  task: Task;
  outputs: TaskOutput[];
}

/**
 * A task of this account with its outputs: what partners ask most. One statement instead of two, and named, so that it is
 * planned once per connection and not for every poll.
 * @throws NOT_FOUND
 */
export async function pollTask(database: Database, accountId: string, taskId: string): Promise<PolledTask> {
  requireTaskId(taskId);
  const { pool, namedStatements } = database;
  const { rows } = await pool.query<TaskRow & { outputs: TaskOutput[] | null }>({
    ...(namedStatements ? { name: 'poll task' } : {}),
    text: textFor(database),
    values: [taskId, accountId],
  });
  const row = rows[0];
  if (!row) throw taskNotFound();
  return { task: toTask(row), outputs: row.outputs ?? [] };
}

let text: string | undefined;

function textFor({ db }: Database): string {
  text ??= sql`
    select ${taskColumns}, (
      select json_agg(json_build_object('fileId', file_id, 'fileName', file_name, 'mediaType', media_type, 'storageKey', storage_key,
        'sizeBytes', size_bytes, 'sha256', sha256) order by position)
      from task_outputs where task_id = tasks.id
    ) as outputs
    from tasks where id = $1 and account_id = $2`.compile(db).sql;
  return text;
}
