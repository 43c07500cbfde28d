import { sql } from 'kysely';
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
  const { rows } = await sql<
    TaskRow & {
      account_name: string;
      book_title: string | null;
      faults: number;
      lost_attempts: number;
      engine_fault: string | null;
      stored_bytes: number;
    }
  >`
    select ${taskColumns}, a.name as account_name, tasks.book_title, tasks.faults, tasks.lost_attempts, tasks.engine_fault, tasks.stored_bytes
    from tasks join accounts a on a.id = tasks.account_id where tasks.id = ${taskId}`.execute(db);
  const [row] = rows;
  if (!row) throw taskNotFound();
  return {
    task: toTask(row),
    accountName: row.account_name,
    bookTitle: row.book_title ?? undefined,
    faults: row.faults,
    lostAttempts: row.lost_attempts,
    engineFault: row.engine_fault ?? undefined,
    storedBytes: row.stored_bytes,
  };
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
  const { rows } = await sql<{
    segments: number;
    characters: number;
    first_at: Date | null;
    last_at: Date | null;
    chapters: number;
    ready: number;
  }>`
    select w.segments, w.characters, w.first_at, w.last_at, c.chapters, c.ready from
      (select count(*)::int as segments, coalesce(sum(characters), 0)::bigint as characters, min(created_at) as first_at, max(created_at) as last_at
        from checkpoints where task_id = ${taskId} and kind = 'segment') w,
      (select count(*)::int as chapters, count(ready_at)::int as ready from task_chapters where task_id = ${taskId}) c`.execute(
    db,
  );
  const [row] = rows;
  return {
    segments: row?.segments ?? 0,
    characters: row?.characters ?? 0,
    firstAt: row?.first_at ?? undefined,
    lastAt: row?.last_at ?? undefined,
    chapters: row?.chapters ?? 0,
    readyChapters: row?.ready ?? 0,
  };
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
  const { rows } = await sql<{ part: keyof TaskCare; name: string; n: number }>`
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
    order by 1, 2`.execute(db);
  const care: TaskCare = { repairs: {}, faults: {}, untranslated: {} };
  for (const { part, name, n } of rows) if (n > 0) care[part][name] = n;
  return care;
}

export interface TaskTransfer {
  kind: string;
  credits: number;
  reason: string | undefined;
  at: Date;
}

export async function transfersOfTask(db: Db, taskId: string): Promise<TaskTransfer[]> {
  const { rows } = await sql<{ kind: string; amount: number; reason: string | null; created_at: Date }>`
    select kind, amount, reason, created_at from credit_transfers where task_id = ${taskId}
    union all
    select kind, amount, reason, created_at from credit_transfers where refunded_task_id = ${taskId}
    order by created_at`.execute(db);
  return rows.map((row) => ({
    kind: row.kind,
    credits: row.amount,
    reason: row.reason ?? undefined,
    at: row.created_at,
  }));
}
