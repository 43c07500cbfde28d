import { sql } from 'kysely';
import type { AdmissionColumns } from '../accounts/admission-store.ts';
import type { Admission } from '../accounts/admit.ts';
import type { Db } from '../platform/postgres.ts';
import type { ShownTask, TaskOutput } from './task.ts';
import { isTaskId, type ShownRow, shownColumns, taskColumns, taskNotFound, toShownTask } from './task-store.ts';

export interface PolledTask {
  task: ShownTask;
  outputs: TaskOutput[];
}

type PolledRow = ShownRow & { files: TaskOutput[] | null };
/** In JSON: the driver takes a column of it much faster than some thirty columns. */
type PolledJson = Omit<PolledRow, 'created_at' | 'ended_at' | 'purged_at'> & {
  created_at: string;
  ended_at: string | null;
  purged_at: string | null;
  is_large: boolean;
};

const filesOfTask = `(
  select json_agg(file) from (
    select file_id as "fileId", file_name as "fileName", media_type as "mediaType", storage_key as "storageKey", size_bytes as "sizeBytes", sha256
    from task_outputs where task_id = tasks.id order by position
  ) file
) as files`;

/** A task of the caller with its outputs, read with the admission of the request: what partners ask most. */
export const pollColumns: AdmissionColumns = {
  name: 'poll',
  select: 'to_json(task) as task',
  joins: `left join lateral (
    select ${shownColumns}, ${filesOfTask} from tasks where tasks.id = wish.subject and tasks.account_id = caller.account_id limit 1
  ) task on true`,
  subjectOf: (params) => {
    const { task_id } = params as { task_id: string };
    return isTaskId(task_id) ? task_id : '';
  },
};

/** @throws NOT_FOUND */
export async function polledTask(db: Db, { caller, extra }: Admission): Promise<PolledTask> {
  const found = extra.task as PolledJson | null;
  if (found === null) throw taskNotFound();
  // Megabytes of results are read for the one who asked, and nobody else waits for them.
  const row = found.is_large ? await pollAlone(db, caller.accountId, found.id) : fromJson(found);
  if (!row) throw taskNotFound();
  return { task: toShownTask(row), outputs: row.files ?? [] };
}

function fromJson(found: PolledJson): PolledRow {
  const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text));
  return Object.assign(found, {
    created_at: new Date(found.created_at),
    ended_at: dateOf(found.ended_at),
    purged_at: dateOf(found.purged_at),
  });
}

async function pollAlone(db: Db, accountId: string, taskId: string): Promise<PolledRow | undefined> {
  const { rows } = await sql<PolledRow>`
    select ${taskColumns}, ${sql.raw(filesOfTask)} from tasks where id = ${taskId} and account_id = ${accountId}`.execute(
    db,
  );
  return rows[0];
}
