/** Brings the tasks of a copied database to life: jobs are not copied, because the job engine's tables are its own. */
import { sql } from 'kysely';
import { requeueDeliveries } from '../events/event-upkeep.ts';
import type { Trx } from '../platform/postgres.ts';
import type { JobQueue, Lane } from '../platform/queue.ts';
import { cancelLocked } from './end-task.ts';
import { purgeRows } from './purge-task.ts';
import { lockTask } from './task-store.ts';

/** A new job for every pending task, oldest first, each behind the earlier ones of its account, and for every delivery. Returns how many tasks. */
export async function requeuePending(trx: Trx, queue: JobQueue): Promise<number> {
  const { rows } = await sql<{ id: string; account_id: string; lane: Lane; ahead: number }>`
    select id, account_id, lane, (row_number() over (partition by account_id, lane order by created_at, id) - 1)::int as ahead
    from tasks where status = 'pending' order by created_at, id`.execute(trx);
  for (const { id, account_id, lane, ahead } of rows) {
    const jobId = await queue.enqueue(trx, { taskId: id, accountId: account_id, lane, ahead });
    await sql`update tasks set job_id = ${jobId} where id = ${id}`.execute(trx);
  }
  await requeueDeliveries(trx, queue);
  return rows.length;
}

/** What DELETE does to a task, for one whose files are gone already. @throws NOT_FOUND */
export async function deleteRows(trx: Trx, queue: JobQueue, taskId: string): Promise<void> {
  const task = await lockTask(trx, taskId);
  await purgeRows(trx, task.status === 'pending' ? await cancelLocked(trx, queue, task) : task);
}

export interface OwnedFile {
  key: string;
  taskId: string;
  sha256: string;
  mediaType: string | undefined;
}

/** Every file that a row speaks of. The same statement serves a client in the middle of a transaction of its own. */
export const ownedFilesSql = `
  select source_key as key, id as "taskId", source_sha256 as sha256, null as "mediaType" from tasks where source_key is not null
  union all
  select storage_key, task_id, sha256, media_type from task_outputs
  order by 1`;
