/**
 * A worker's hold on a task. Taking a task raises its attempt number, and every later write carries that number. The write is refused
 * when the task has ended or another worker has taken it. So a worker that was stopped and wakes up again can change nothing.
 */
import { hostname } from 'node:os';
import { type RawBuilder, sql } from 'kysely';
import type { Columns } from '../platform/database-types.ts';
import { change, type FromRow, readCount, readRow } from '../platform/from-row.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import { type Attempt, Fenced } from '../tasks/attempt.ts';
import { type Stage, stages } from '../tasks/states.ts';
import type { Task } from '../tasks/task.ts';
import { readTask, type TaskRow, taskColumns, termsOfTask, toTask } from '../tasks/task-store.ts';
import { logAttempt } from './task-log-store.ts';

const worker = `${hostname()} ${process.pid}`;

export interface BegunTask {
  task: Task;
  faults: number;
  /** Attempts before this one, in a row, whose worker vanished without progress. */
  lostAttempts: number;
  /** Since its creation. */
  ageSeconds: number;
}

/** Takes a pending task; undefined when it has ended. */
export async function beginAttempt(db: Db, taskId: string): Promise<BegunTask | undefined> {
  const row = await readRow<TaskRow & FromRow<Columns<'tasks', 'faults' | 'lost_attempts'>> & { ageSeconds: number }>(
    db,
  )`
    with taken as (
      update tasks set attempt = attempt + 1, lost_attempts = lost_attempts + 1,
        stage = case when stage = 'queued' then 'preparing' else stage end
      where id = ${taskId} and status = 'pending'
      returning ${taskColumns}, ${termsOfTask}, faults, lost_attempts, extract(epoch from now() - created_at)::float8 as age_seconds
    ), logged as (${logAttempt(sql`taken`, `taken by ${worker}`)})
    select * from taken`;
  if (!row) return undefined;
  const { faults, lostAttempts, ageSeconds, ...task } = row;
  // This attempt counts itself in advance: a worker that vanishes cannot do it afterwards.
  return { task: toTask(task), faults, lostAttempts: lostAttempts - 1, ageSeconds };
}

/** What a partner who polls a task sees of it. */
export interface ShownProgress {
  stage?: Stage;
  progress?: number;
  detectedLang?: string | undefined;
  /** Operators see it beside the name of the file. */
  bookTitle?: string | undefined;
}

function isHeldBy({ taskId, number }: Attempt): RawBuilder<boolean> {
  return sql`id = ${taskId} and attempt = ${number} and status = 'pending'`;
}

/** Neither stage nor progress ever goes back: messages may overtake each other, and an attempt after a fault begins anew. @throws Fenced */
export async function saveProgress(db: Db, attempt: Attempt, shown: ShownProgress): Promise<void> {
  const order = [...stages];
  const changed = await change(db)`
    update tasks set stage = (${order}::text[])[greatest(array_position(${order}::text[], ${shown.stage ?? null}), array_position(${order}::text[], stage))],
      progress = greatest(progress, ${shown.progress ?? 0}),
      detected_lang = coalesce(${shown.detectedLang ?? null}, detected_lang),
      book_title = coalesce(${shown.bookTitle ?? null}, book_title)
    where ${isHeldBy(attempt)}`;
  if (changed !== 1) throw new Fenced(attempt.taskId);
}

/** Locks the task for its last write, in the transaction that ends it. @throws Fenced */
export async function requireAttempt(trx: Trx, attempt: Attempt): Promise<void> {
  const { rows } = await sql`
    select from tasks where id = ${attempt.taskId} and attempt = ${attempt.number} and status = 'pending' for update`.execute(
    trx,
  );
  if (rows.length === 0) throw new Fenced(attempt.taskId);
}

/** Counts an unexpected fault of a run. */
export async function recordFault(db: Db, attempt: Attempt): Promise<void> {
  await change(db)`update tasks set faults = faults + 1, lost_attempts = 0 where ${isHeldBy(attempt)}`;
}

/** What engines said, for the operator who asks why a task waits or failed. */
export async function recordEngineFault(db: Db, attempt: Attempt, fault: string): Promise<void> {
  await change(db)`update tasks set engine_fault = ${fault.slice(0, 500)} where ${isHeldBy(attempt)}`;
}

/** An attempt that ends for a reason outside of the task is not lost. */
export async function excuseAttempt(db: Db, attempt: Attempt): Promise<void> {
  await change(db)`update tasks set lost_attempts = 0 where ${isHeldBy(attempt)}`;
}

export async function replaceJob(trx: Trx, attempt: Attempt, jobId: string): Promise<void> {
  await change(trx)`update tasks set job_id = ${jobId}, lost_attempts = 0 where id = ${attempt.taskId}`;
}

/** A cancelled task whose finished part is still to be written; undefined when there is none. */
export async function findUndelivered(db: Db, taskId: string): Promise<Task | undefined> {
  return await readTask(db)`
    select ${taskColumns}, ${termsOfTask} from tasks
    where id = ${taskId} and status = 'cancelled' and purged_at is null and result ->> 'delivery' = 'pending'`;
}

/** Returns the faults by now. */
export async function countDeliveryFault(db: Db, taskId: string): Promise<number> {
  return await readCount(db)`
    update tasks set faults = faults + 1 where id = ${taskId} returning faults`;
}

/** Whether a task of the series has still to teach what it had finished when it was cancelled. */
export async function isTeachingPending(db: Db, { accountId, seriesId }: Task): Promise<boolean> {
  if (seriesId === undefined) return false;
  const { rows } = await sql`
    select from tasks where series_id = ${seriesId} and account_id = ${accountId} and status = 'cancelled' and result ->> 'delivery' = 'pending'
    limit 1`.execute(db);
  return rows.length > 0;
}

/** After its outputs were inserted: they count in what the account keeps. The transaction has locked the task. */
export async function setDelivered(trx: Trx, taskId: string, result: Record<string, unknown>): Promise<Task> {
  const json = JSON.stringify(result);
  const bytes = Buffer.byteLength(json);
  const task = await readTask(trx)`
    update tasks set result = ${json}::json, result_bytes = ${bytes},
      stored_bytes = stored_bytes - result_bytes + ${bytes} + (select coalesce(sum(size_bytes), 0) from task_outputs where task_id = ${taskId})
    where id = ${taskId} returning ${taskColumns}`;
  return task as Task;
}
