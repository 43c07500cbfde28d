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
  const cursorAt = (place: typeof last) => JSON.stringify([place?.createdAtMicros, place?.id]);
  return { tasks, nextCursor: rows.length > limit ? Buffer.from(cursorAt(last)).toString('base64url') : null };
}

function readCursor(cursor: string): { createdAtMicros: number; id: string } {
  const position = Buffer.from(cursor, 'base64url').toString();
  const [, micros, id] = /^\[(\d{1,16}),"(task_[0-9a-z]{26})"\]$/.exec(position) ?? [];
  const createdAtMicros = Number(micros);
  if (id !== undefined && Number.isSafeInteger(createdAtMicros)) return { createdAtMicros, id };
  throw badField('BAD_CURSOR', 'This cursor is not one that was handed out.', 'cursor');
}
