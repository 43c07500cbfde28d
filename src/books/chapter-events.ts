import { type EventQueue, recordEvent } from '../events/record-event.ts';
import type { Trx } from '../platform/postgres.ts';
import { markReady } from '../reading/chapter-store.ts';
import type { Task } from '../tasks/task.ts';

/** Tells of the chapters that are translated now, each once. @param keys the segments that were saved just now, or any */
export async function tellReady(
  trx: Trx,
  queue: EventQueue,
  task: Task,
  keys: readonly string[] | undefined,
): Promise<void> {
  for (const { index, characters } of await markReady(trx, task.id, keys)) {
    const data = { task_id: task.id, chapter: index, characters, partner_metadata: task.partnerMetadata };
    const { id: taskId, accountId, sandbox } = task;
    await recordEvent(trx, queue, { accountId, sandbox, type: 'task.chapter_ready', taskId, chapter: index, data });
  }
}
