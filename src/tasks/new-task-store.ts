import { type RawBuilder, sql } from 'kysely';
import { holdParts, staysAbove } from '../credits/hold-store.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import type { JobInsertion, Lane } from '../platform/queue.ts';
import type { Action, Task } from './task.ts';
import { pendingOf, type TaskRow, taskColumns, toTask } from './task-store.ts';

export interface NewTask {
  id: string;
  accountId: string;
  keyId: string;
  action: Action;
  sandbox: boolean;
  fileName: string;
  sourceLang: string;
  targetLang: string | undefined;
  charLimit: number | undefined;
  skipFrontMatter: boolean;
  charCount: number;
  estimatedCredits: number;
  partnerMetadata: Record<string, string>;
  /** Undefined when there is none. */
  glossaryJson: string | undefined;
  glossaryStrategy: string;
  acceptDraft: boolean;
  outputs: string[] | undefined;
  sourceKey: string;
  sourceSha256: string;
  sourceBytes: number;
  /** The source itself, when it is kept with the task. */
  sourceText: Uint8Array | undefined;
  seriesId: string | undefined;
  lane: Lane;
  jobId: string;
  traceparent: string | undefined;
}

/** In one statement: the task with what `ownParts` says, and how many tasks of the account were before it in its lane. */
export async function insertTask(trx: Trx, task: NewTask): Promise<{ task: Task; ahead: number }> {
  const placed = await place(trx, task, sql`paid as (select)`);
  if (placed === undefined) throw new Error('the task was not inserted');
  return placed;
}

/**
 * The task with its hold and its job, in one statement: what most creates are. Nothing is done where that is not enough: the
 * credits do not cover it, or the partner has to be told that they run low.
 */
export async function placeTask(
  db: Db,
  task: NewTask,
  heldCredits: number,
  job: JobInsertion,
): Promise<Task | undefined> {
  const paid =
    heldCredits > 0
      ? sql`${holdParts(task.accountId, task.id, heldCredits, staysAbove(heldCredits))}, paid as (select from balance)`
      : sql`paid as (select)`;
  const jobs = sql`(select coalesce(
    (select jsonb_set(${job.jobs}::jsonb, '{0,priority}', to_jsonb(-before.n)) from before, paid), '[]'::jsonb))`;
  const queued = sql`queued as (${sql.raw(job.before)}${jobs}${sql.raw(job.after)})`;
  return (await place(db, task, sql`${paid}, ${queued}`))?.task;
}

/**
 * From now on the object of its source is not loose; a small text is kept beside the task.
 * @param parts of the statement, one of them `paid`: the task comes to be where it has a row
 */
async function place(
  db: Db,
  task: NewTask,
  parts: RawBuilder<unknown>,
): Promise<{ task: Task; ahead: number } | undefined> {
  const { rows } = await sql<TaskRow & { ahead: number }>`
    with before as (${pendingOf(task.accountId, task.lane)}), ${parts},
    owned as (delete from loose_objects where key = ${task.sourceKey} and exists (select from paid)),
    kept as (
      insert into task_texts (task_id, content) select ${task.id}, content
      from paid, (select ${task.sourceText ? Buffer.from(task.sourceText) : null}::bytea as content) sent where content is not null
    ), placed as (
      insert into tasks (id, account_id, key_id, action, sandbox, file_name, source_lang, target_lang, char_limit, skip_front_matter,
        char_count, estimated_credits, credit_previews, partner_metadata, glossary, glossary_strategy, accept_draft, outputs,
        source_key, source_sha256, stored_bytes, series_id, lane, job_id, traceparent)
      select ${task.id}, ${task.accountId}, ${task.keyId}, ${task.action}, ${task.sandbox}, ${task.fileName}, ${task.sourceLang},
        ${task.targetLang ?? null}, ${task.charLimit ?? null}, ${task.skipFrontMatter}, ${task.charCount}, ${task.estimatedCredits},
        (select credit_previews from accounts where id = ${task.accountId}), ${JSON.stringify(task.partnerMetadata)},
        ${task.glossaryJson ?? null}, ${task.glossaryStrategy}, ${task.acceptDraft},
        ${task.outputs ?? null}, ${task.sourceKey}, ${task.sourceSha256}, ${task.sourceBytes}, ${task.seriesId ?? null},
        ${task.lane}, ${task.jobId}, ${task.traceparent ?? null}
      from paid
      returning ${taskColumns}
    )
    select placed.*, (select n from before) as ahead from placed`.execute(db);
  if (rows[0] === undefined) return undefined;
  const { ahead, ...row } = rows[0];
  return { task: toTask(row), ahead };
}
