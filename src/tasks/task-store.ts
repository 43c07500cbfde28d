import { sql } from 'kysely';
import { AppError } from '../errors.ts';
import type { Columns, Row } from '../platform/database-types.ts';
import {
  change,
  columnsOf,
  type FromRow,
  type Read,
  type RowOf,
  readCount,
  readRow,
  readRows,
  readValue,
} from '../platform/from-row.ts';
import { createdAtMicros, cursorOf, isBehind, type ListPlace, pageOf, placeAt } from '../platform/list-page-store.ts';
import { type Owner, ownedBy } from '../platform/owner-store.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import type { Lane, QueuedTask } from '../platform/queue.ts';
import { forgetObjects } from './object-store.ts';
import type { Status } from './states.ts';
import type { Action, NewTask, ShownTask, StoredOutput, Task, TaskError, TaskOutput } from './task.ts';

/** Beyond this a place in virtual time makes no difference to others, and counting would cost every create more. */
const maxCountedPending = 1_000;

/** Tasks of the account that are waiting or running in a lane: its place in virtual time. */
export async function countPending(db: Db, accountId: string, lane: Lane): Promise<number> {
  return await readCount(db)`
    select count(*)::int as n from (
      select from tasks where account_id = ${accountId} and lane = ${lane} and status = 'pending' order by id limit ${sql.lit(maxCountedPending)}
    ) pending`;
}

/** From now on the object of its source is not loose; a small text is kept beside the task. */
export async function insertTask(trx: Trx, task: NewTask): Promise<Task> {
  const created = await readTask(trx)`
    insert into tasks (id, account_id, key_id, action, sandbox, file_name, source_lang, target_lang, char_limit, skip_front_matter,
      char_count, estimated_credits, credit_previews, partner_metadata, glossary, glossary_strategy, accept_draft, outputs,
      source_key, source_sha256, stored_bytes, series_id, lane, job_id, traceparent, style, context, ordered_terms, quote_task_id, quote_void)
    select ${task.id}, id, ${task.keyId}, ${task.action}, ${task.sandbox}, ${task.fileName.toWellFormed()}, ${task.sourceLang},
      ${task.targetLang}, ${task.charLimit}, ${task.skipFrontMatter}, ${task.charCount}, ${task.estimatedCredits}, credit_previews,
      ${JSON.stringify(task.partnerMetadata)}::jsonb, ${task.glossaryJson}::jsonb, ${task.glossaryStrategy}, ${task.acceptDraft},
      ${task.outputs}::text[], ${task.sourceKey}, ${task.sourceSha256}, ${task.sourceBytes}, ${task.seriesId}, ${task.lane}, ${task.jobId},
      ${task.traceparent}, ${task.style}, ${task.context}, ${task.orderedTermsJson}::jsonb, ${task.quoteTaskId}, ${task.quoteVoid}
    from accounts where id = ${task.accountId}
    returning ${taskColumns}`;
  if (created === undefined) throw new Error('the task was not inserted');
  if (task.sourceText === undefined) await forgetObjects(trx, [task.sourceKey]);
  else
    await change(trx)`insert into task_texts (task_id, content) values (${task.id}, ${Buffer.from(task.sourceText)})`;
  return created;
}

/** Another owner's task is as unknown as one that never was. @throws NOT_FOUND */
export async function findTask(db: Db, owner: Owner, taskId: string): Promise<Task> {
  requireTaskId(taskId);
  const task = await readTask(db)`select ${taskColumns} from tasks where id = ${taskId} and ${ownedBy(owner)}`;
  if (!task) throw taskNotFound();
  return task;
}

export function taskNotFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no such task.');
}

/** Anything may stand in a path, also U+0000, which the database would refuse with an error of its own. */
export function requireTaskId(taskId: string): void {
  if (!/^task_[0-9a-z]{26}$/.test(taskId)) throw taskNotFound();
}

/** Locks the row until the transaction ends. Without an owner it is anybody's. @throws NOT_FOUND */
export async function lockTask(trx: Trx, taskId: string, owner?: Owner): Promise<Task> {
  requireTaskId(taskId);
  const task = await readTask(trx)`
    select ${taskColumns} from tasks where id = ${taskId} and ${owner ? ownedBy(owner) : sql`true`} for update`;
  if (!task) throw taskNotFound();
  return task;
}

export interface TaskFilter {
  status: Status | undefined;
  action: Action | undefined;
  externalId: string | undefined;
  seriesId: string | undefined;
}

/** Newest first. @throws BAD_REQUEST when the cursor is not one of ours */
export async function pageOfTasks(
  db: Db,
  owner: Owner,
  { status, action, externalId, seriesId }: TaskFilter,
  limit: number,
  cursor: string | undefined,
): Promise<{ tasks: ShownTask[]; nextCursor: string | null }> {
  const rows = await readRows<ShownRow & ListPlace>(db)`
    select ${listedColumns}, ${createdAtMicros} from tasks
    where ${ownedBy(owner)} and ${isBehind(placeAt(cursor, 'task'))}
      and (${status ?? null}::text is null or status = ${status ?? null})
      and (${action ?? null}::text is null or action = ${action ?? null})
      and (${externalId ?? null}::text is null or external_id = ${externalId ?? null})
      and (${seriesId ?? null}::text is null or series_id = ${seriesId ?? null})
    order by created_at desc, id desc limit ${limit + 1}`;
  const { shown, nextCursor } = pageOf(rows, limit, cursorOf);
  return { tasks: shown.map(toShownTask), nextCursor };
}

/** Every pending task, oldest first, with how many earlier ones of its account are in its lane. */
export async function pendingInOrder(trx: Trx): Promise<QueuedTask[]> {
  return await readRows<QueuedTask>(trx)`
    select id as task_id, account_id, lane, (row_number() over (partition by account_id, lane order by created_at, id) - 1)::int as ahead
    from tasks where status = 'pending' or (status = 'cancelled' and purged_at is null and result ->> 'delivery' = 'pending')
    order by created_at, id`;
}

export type JobOfTask = Pick<Task, 'id' | 'lane' | 'jobId'>;

/** The jobs of all pending tasks, oldest first. Their index is that of `lower(status)`. */
export async function pendingJobs(db: Db): Promise<JobOfTask[]> {
  return await readRows<FromRow<Columns<'tasks', 'id' | 'lane' | 'job_id'>>>(db)`
    select id, lane, job_id from tasks where lower(status) = 'pending' order by created_at`;
}

export interface LaneDepth {
  waiting: number;
  running: number;
  /** How long the oldest waiting task has waited. */
  oldestSeconds: number;
}

/** Tasks that wait for a worker, and tasks that one has begun. The index of all pending tasks is that of `lower(status)`. */
export async function laneDepths(db: Db): Promise<Record<Lane, LaneDepth>> {
  const rows = await readRows<LaneDepth & { lane: Lane }>(db)`
    select lane, count(*) filter (where stage = 'queued')::int as waiting, count(*) filter (where stage <> 'queued')::int as running,
      coalesce(extract(epoch from now() - min(created_at) filter (where stage = 'queued')), 0)::float8 as oldest_seconds
    from tasks where lower(status) = 'pending' group by lane`;
  const depthOf = (lane: Lane): LaneDepth => {
    const { waiting = 0, running = 0, oldestSeconds = 0 } = rows.find((row) => row.lane === lane) ?? {};
    return { waiting, running, oldestSeconds };
  };
  return { short: depthOf('short'), book: depthOf('book') };
}

/** What the tasks of an account and the corrections of its series keep in storage. */
export async function storedBytesOf(db: Db, accountId: string): Promise<number> {
  return await readCount(db)`
    select ((select coalesce(sum(stored_bytes), 0) from tasks where account_id = ${accountId} and stored_bytes > 0)
      + (select coalesce(sum(corrected_bytes), 0) from memories where account_id = ${accountId} and corrected_bytes > 0))::bigint as bytes`;
}

export async function setJob(trx: Trx, taskId: string, jobId: string): Promise<void> {
  await change(trx)`update tasks set job_id = ${jobId} where id = ${taskId}`;
}

export async function readOutputs(db: Db, taskId: string): Promise<StoredOutput[]> {
  return await readRows<FromRow<Omit<Row<'task_outputs'>, 'task_id' | 'position'>>>(db)`
    select file_id, file_name, media_type, storage_key, size_bytes, sha256, edition from task_outputs
    where task_id = ${taskId} order by position`;
}

/** Puts an output in the place of the one with the same id, or behind the others; returns where the one before was stored. */
export async function replaceOutput(trx: Trx, taskId: string, output: StoredOutput): Promise<string | undefined> {
  const before = await readRow<FromRow<Columns<'task_outputs', 'storage_key' | 'position' | 'size_bytes'>>>(trx)`
    delete from task_outputs where task_id = ${taskId} and file_id = ${output.fileId}
    returning storage_key, position, size_bytes`;
  await change(trx)`
    insert into task_outputs (task_id, file_id, position, file_name, media_type, storage_key, size_bytes, sha256, edition)
    select ${taskId}, ${output.fileId}, coalesce(${before?.position ?? null}::int, max(position) + 1, 0), ${output.fileName}, ${output.mediaType},
      ${output.storageKey}, ${output.sizeBytes}, ${output.sha256}, ${output.edition} from task_outputs where task_id = ${taskId}`;
  await change(trx)`
    update tasks set stored_bytes = stored_bytes + ${output.sizeBytes - (before?.sizeBytes ?? 0)}
    where id = ${taskId}`;
  return before?.storageKey;
}

/** From now on their objects are not loose. */
export async function insertOutputs(trx: Trx, taskId: string, outputs: readonly TaskOutput[]): Promise<void> {
  if (outputs.length === 0) return;
  await change(trx)`
    with written as (
      insert into task_outputs (task_id, file_id, position, file_name, media_type, storage_key, size_bytes, sha256)
      select ${taskId}, file_id, place - 1, file_name, media_type, storage_key, size_bytes, sha256
      from unnest(${outputs.map((output) => output.fileId)}::text[], ${outputs.map((output) => output.fileName)}::text[],
        ${outputs.map((output) => output.mediaType)}::text[], ${outputs.map((output) => output.storageKey)}::text[],
        ${outputs.map((output) => output.sizeBytes)}::bigint[], ${outputs.map((output) => output.sha256)}::text[])
        with ordinality as output (file_id, file_name, media_type, storage_key, size_bytes, sha256, place)
      returning storage_key
    )
    delete from loose_objects using written where key = written.storage_key`;
}

/** Ends a task that is pending; the database refuses anything else. */
export async function endTask(
  trx: Trx,
  taskId: string,
  end: {
    status: Exclude<Status, 'pending'>;
    creditsCharged: number;
    result?: Record<string, unknown> | undefined;
    detectedLang?: string | undefined;
    error?: TaskError;
  },
): Promise<Task> {
  const result = end.result ? JSON.stringify(end.result) : null;
  const resultBytes = result === null ? 0 : Buffer.byteLength(result);
  // By the clock, because the transaction may have begun a while ago.
  const task = await readTask(trx)`
    update tasks set status = ${end.status}, stage = ${end.status}, progress = case when ${end.status} = 'completed' then 1 else progress end,
      credits_charged = ${end.creditsCharged}, ended_at = clock_timestamp(), result = ${result}, result_bytes = ${resultBytes},
      stored_bytes = stored_bytes + ${resultBytes} + (select coalesce(sum(size_bytes), 0) from task_outputs where task_id = ${taskId}),
      detected_lang = coalesce(${end.detectedLang ?? null}, detected_lang), error_code = ${end.error?.code ?? null},
      error_message = ${end.error?.message ?? null}, error_retryable = ${end.error?.retryable ?? null}
    where id = ${taskId} returning ${taskColumns}`;
  return task as Task;
}

/** Larger results are shown by GET /tasks/{task_id} only: a hundred of 18 MB each are no page of a list. */
const maxListedResultBytes = 4_096;
/** What a partner is shown of a task, without its result. */
const shownColumns = columnsOf(
  'tasks',
  'id action sandbox status stage progress file_name source_lang detected_lang target_lang char_count estimated_credits credits_charged',
  'partner_metadata series_id quote_task_id quote_void error_code error_message error_retryable created_at ended_at purged_at',
);
const listedColumns = sql`${shownColumns}, case when tasks.result_bytes <= ${sql.lit(maxListedResultBytes)} then tasks.result end as result`;
/** Everything but the terms, which may have megabytes and matter to the worker alone. */
const workColumns = columnsOf(
  'tasks',
  'account_id key_id char_limit credit_previews glossary_strategy style context accept_draft skip_front_matter outputs source_key source_sha256',
  'lane job_id attempt traceparent',
);
export const taskColumns = sql`${shownColumns}, tasks.result, ${workColumns}`;
/** Only for the worker. */
export const termsOfTask = sql`tasks.glossary::text as glossary_json, tasks.ordered_terms::text as ordered_terms_json`;

type ShownRow = RowOf<typeof shownColumns> & { result: unknown };
export type TaskRow = ShownRow & RowOf<typeof workColumns> & { glossaryJson?: string; orderedTermsJson?: string };

/** The terms that were sent with a task; undefined when it has none. */
export async function readGlossary(db: Db, taskId: string): Promise<string | undefined> {
  return await readValue<string>(db)`select glossary::text from tasks where id = ${taskId}`;
}

function toShownTask<Row extends ShownRow>({ errorCode, errorMessage, errorRetryable, ...row }: Row) {
  return {
    ...row,
    partnerMetadata: row.partnerMetadata as Task['partnerMetadata'],
    quoteVoid: row.quoteVoid as Task['quoteVoid'],
    result: (row.result ?? {}) as Task['result'],
    error:
      errorCode === undefined
        ? undefined
        : { code: errorCode, message: errorMessage ?? '', retryable: errorRetryable === true },
  };
}

export function toTask(row: TaskRow): Task {
  const { glossaryJson = '[]', orderedTermsJson, ...shown } = toShownTask(row);
  return {
    ...shown,
    glossaryStrategy: row.glossaryStrategy as Task['glossaryStrategy'],
    glossaryJson,
    orderedTermsJson,
  };
}

/** For a statement that gives `taskColumns`, perhaps with `termsOfTask`, and no others. */
export function readTask(db: Db): Read<Task | undefined> {
  return async (...statement) => {
    const row = await readRow<TaskRow>(db)(...statement);
    return row && toTask(row);
  };
}
