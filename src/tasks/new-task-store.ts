import { sql } from 'kysely';
import type { Trx } from '../platform/postgres.ts';
import type { Lane } from '../platform/queue.ts';
import { forgetObjects } from './object-store.ts';
import type { Action, QuoteVoid, Task } from './task.ts';
import { readTask, taskColumns } from './task-store.ts';

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
  style: string | undefined;
  context: string | undefined;
  /** Undefined outside of series. */
  orderedTermsJson: string | undefined;
  quoteTaskId: string | undefined;
  quoteVoid: QuoteVoid | undefined;
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
    await sql`insert into task_texts (task_id, content) values (${task.id}, ${Buffer.from(task.sourceText)})`.execute(
      trx,
    );
  return created;
}
