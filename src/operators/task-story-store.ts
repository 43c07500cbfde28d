import { readRow, readRows } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';
import type { Task } from '../tasks/task.ts';
import { requireTaskId, type TaskRow, taskColumns, taskNotFound, toTask } from '../tasks/task-store.ts';

export interface StoredTask {
  task: Task;
  accountName: string;
  /** As the book names itself. */
  bookTitle: string | undefined;
  /** Unexpected faults of its runs. */
  faults: number;
  /** Attempts in a row whose worker vanished. */
  lostAttempts: number;
  /** What engines said last, in words. */
  engineFault: string | undefined;
  storedBytes: number;
}

/** @throws NOT_FOUND */
export async function findStoredTask(db: Db, taskId: string): Promise<StoredTask> {
  requireTaskId(taskId);
  const row = await readRow<TaskRow & Omit<StoredTask, 'task'>>(db)`
    select ${taskColumns}, a.name as account_name, tasks.book_title, tasks.faults, tasks.lost_attempts, tasks.engine_fault, tasks.stored_bytes
    from tasks join accounts a on a.id = tasks.account_id where tasks.id = ${taskId}`;
  if (!row) throw taskNotFound();
  const { accountName, bookTitle, faults, lostAttempts, engineFault, storedBytes, ...task } = row;
  return { task: toTask(task), accountName, bookTitle, faults, lostAttempts, engineFault, storedBytes };
}

export interface TaskWork {
  segments: number;
  characters: number;
  firstAt: Date | undefined;
  lastAt: Date | undefined;
  chapters: number;
  readyChapters: number;
}

/** What of it is done so far. */
export async function readTaskWork(db: Db, taskId: string): Promise<TaskWork> {
  const work = await readRow<TaskWork>(db)`
    select w.segments, w.characters, w.first_at, w.last_at, c.chapters, c.ready_chapters from
      (select count(*)::int as segments, coalesce(sum(characters), 0)::bigint as characters, min(created_at) as first_at, max(created_at) as last_at
        from checkpoints where task_id = ${taskId} and kind = 'segment') w,
      (select count(*)::int as chapters, count(ready_at)::int as ready_chapters from task_chapters where task_id = ${taskId}) c`;
  return work as TaskWork;
}

export interface TaskCare {
  /** What it took to get the passages right: calls, repeats, splits and so on. */
  repairs: Record<string, number>;
  /** What is still wrong with delivered paragraphs, by kind. */
  faults: Record<string, number>;
  /** Paragraphs left in the source language, by reason. */
  untranslated: Record<string, number>;
}

/** From the finished passages; empty once the text was removed. */
export async function readTaskCare(db: Db, taskId: string): Promise<TaskCare> {
  const rows = await readRows<{ part: keyof TaskCare; name: string; n: number }>(db)`
    with outcomes as materialized (
      select record -> 'outcome' as outcome from checkpoints where task_id = ${taskId} and kind = 'segment'
    ), units as materialized (
      select unit -> 'faults' as faults, unit ->> 'failure' as failure from outcomes, json_array_elements(outcome -> 'units') unit
    )
    select 'repairs' as part, key as name, sum(value::bigint)::bigint as n from outcomes, json_each_text(outcome -> 'repairs') group by key
    union all
    select 'faults', fault, count(*) from units, json_array_elements_text(faults) fault group by fault
    union all
    select 'untranslated', failure, count(*) from units where failure is not null group by failure
    order by 1, 2`;
  const care: TaskCare = { repairs: {}, faults: {}, untranslated: {} };
  for (const { part, name, n } of rows) if (n > 0) care[part][name] = n;
  return care;
}

export interface TaskTransfer {
  kind: string;
  credits: number;
  at: Date;
}

export async function transfersOfTask(db: Db, taskId: string): Promise<TaskTransfer[]> {
  return await readRows<TaskTransfer>(db)`
    select kind, amount as credits, created_at as at from credit_transfers where task_id = ${taskId}
    union all
    select kind, amount, created_at from credit_transfers where refunded_task_id = ${taskId}
    order by at`;
}
