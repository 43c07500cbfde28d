/** Pages of an owner's tasks, newest first. The cursor is opaque to partners and stable while tasks are added. */
import { badField } from '../errors.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Db } from '../platform/postgres.ts';
import type { ShownTask } from './task.ts';
import { listTasks, type TaskPage } from './task-store.ts';

export type TaskFilter = Pick<TaskPage, 'status' | 'action' | 'externalId' | 'seriesId'>;

/** @throws BAD_REQUEST when the cursor is not one of ours */
export async function pageOfTasks(
  db: Db,
  owner: Owner,
  filter: TaskFilter,
  limit: number,
  cursor: string | undefined,
): Promise<{ tasks: ShownTask[]; nextCursor: string | null }> {
  const position = cursor === undefined ? undefined : readCursor(cursor);
  const rows = await listTasks(db, owner, { ...filter, limit: limit + 1, before: position });
  const tasks = rows.slice(0, limit);
  const last = tasks.at(-1);
  return {
    tasks,
    nextCursor:
      rows.length > limit && last
        ? Buffer.from(JSON.stringify([last.createdAtMicros, last.id])).toString('base64url')
        : null,
  };
}

function readCursor(cursor: string): { createdAtMicros: number; id: string } {
  try {
    const [createdAtMicros, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [unknown, unknown];
    if (
      typeof createdAtMicros === 'number' &&
      Number.isSafeInteger(createdAtMicros) &&
      createdAtMicros >= 0 &&
      typeof id === 'string' &&
      /^task_[0-9a-z]{26}$/.test(id)
    ) {
      return { createdAtMicros, id };
    }
  } catch {
    // Falls through to the one answer for everything that is not a cursor.
  }
  throw badField('BAD_CURSOR', 'This cursor is not one that was handed out.', 'cursor');
}
