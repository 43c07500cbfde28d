import { sql } from 'kysely';
import type { Trx } from '../platform/postgres.ts';
import type { Lane } from '../platform/queue.ts';
import type { Term } from '../term.ts';
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
  glossary: Term[];
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

/**
 * In one statement: the task, its source where that is a small text, and how many tasks of the account were before it in its
 * lane. From now on the object of its source is not loose.
 */
export async function insertTask(trx: Trx, task: NewTask): Promise<{ task: Task; ahead: number }> {
  const { glossary } = task;
  const { rows } = await sql<TaskRow & { ahead: number }>`
    with before as (${pendingOf(task.accountId, task.lane)}),
    owned as (delete from loose_objects where key = ${task.sourceKey}),
    kept as (
      insert into task_texts (task_id, content)
      select ${task.id}, content from (select ${task.sourceText ? Buffer.from(task.sourceText) : null}::bytea as content) sent where content is not null
    )
    insert into tasks (id, account_id, key_id, action, sandbox, file_name, source_lang, target_lang, char_limit, skip_front_matter,
      char_count, estimated_credits, credit_previews, partner_metadata, glossary, glossary_strategy, accept_draft, outputs,
      source_key, source_sha256, stored_bytes, series_id, lane, job_id, traceparent)
    values (${task.id}, ${task.accountId}, ${task.keyId}, ${task.action}, ${task.sandbox}, ${task.fileName}, ${task.sourceLang},
      ${task.targetLang ?? null}, ${task.charLimit ?? null}, ${task.skipFrontMatter}, ${task.charCount}, ${task.estimatedCredits},
      (select credit_previews from accounts where id = ${task.accountId}), ${JSON.stringify(task.partnerMetadata)},
      ${glossary.length > 0 ? JSON.stringify(glossary) : null}, ${task.glossaryStrategy}, ${task.acceptDraft},
      ${task.outputs ?? null}, ${task.sourceKey}, ${task.sourceSha256}, ${task.sourceBytes}, ${task.seriesId ?? null},
      ${task.lane}, ${task.jobId}, ${task.traceparent ?? null})
    returning ${taskColumns}, (select n from before) as ahead`.execute(trx);
  const { ahead, ...row } = rows[0] as TaskRow & { ahead: number };
  return { task: toTask(row), ahead };
}
