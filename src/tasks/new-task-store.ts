import { type RawBuilder, sql } from 'kysely';
import { manyHoldsParts } from '../credits/hold-store.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import type { JobInsertion, Lane } from '../platform/queue.ts';
import { claimParts, type KeyScope, whereFree } from './idempotency-store.ts';
import type { Action, QuoteVoid, Task } from './task.ts';
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
  style: string | undefined;
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

export interface PlacedTask {
  task: Task;
  /** How many tasks of the account were before it in its lane. */
  ahead: number;
  /** As it was stored for replays. */
  answer: string | undefined;
}

/** An order that needs nothing but this: the task, its hold and its job. */
export interface TaskOrder {
  task: NewTask;
  heldCredits: number;
  job: JobInsertion;
  /** The idempotency key that it claims. */
  claim?: OrderedClaim | undefined;
}

export interface OrderedClaim {
  scope: KeyScope;
  fingerprint: Buffer;
  /** What a replay is answered with, around the time of the task, which the database says; undefined while nobody knows it. */
  answer: { before: string; after: string } | undefined;
}

/** The task alone, in one statement. */
export async function insertTask(trx: Trx, task: NewTask): Promise<PlacedTask> {
  const [placed] = await place(trx, [{ task }], sql`paid as (select * from asked)`);
  if (placed === undefined) throw new Error('the task was not inserted');
  return placed;
}

/**
 * Tasks of one lane with their holds, their jobs and their idempotency keys, in one statement: what most creates are. Nothing is done
 * for those where that is not enough: the credits do not cover them, the partner has to be told that they run low, or another request
 * has claimed their key.
 * @param wait for accounts that are being changed just now; otherwise nothing is done for theirs either
 */
export async function placeTasks(
  db: Db,
  orders: readonly TaskOrder[],
  { wait }: { wait: boolean },
): Promise<(PlacedTask | undefined)[]> {
  const insertion = orders[0]?.job;
  if (insertion === undefined) return [];
  const jobs = sql`(select coalesce(jsonb_agg(job || jsonb_build_object('priority', -(n + nth))), '[]'::jsonb) from paid join before using (account_id))`;
  const queued = sql`queued as (${sql.raw(insertion.before)}${jobs}${sql.raw(insertion.after)})`;
  return await place(db, orders, sql`${manyHoldsParts(wait)}, ${queued}`);
}

/**
 * From now on the objects of their sources are not loose; small texts are kept beside the tasks.
 * @param parts of the statement, one of them `paid`: those of the rows of `asked` that come to be
 */
async function place(
  db: Db,
  orders: readonly (Pick<TaskOrder, 'task'> & Partial<TaskOrder>)[],
  parts: RawBuilder<unknown>,
): Promise<(PlacedTask | undefined)[]> {
  const sent = orders.map(sentTask);
  const keyed = orders.some(({ claim }) => claim);
  const [free, claims, answers] = keyed
    ? [whereFree(sql.ref('sent')), sql`, ${claimParts}`, sql`left join claimed on claimed.task_id = placed.id`]
    : [sql``, sql``, sql`cross join (select null as response_body) claimed`];
  const texts = orders.map(({ task }) => task.sourceText && Buffer.from(task.sourceText));
  const { rows } = await sql<TaskRow & { ahead: number; answer: string | null }>`
    with asked as materialized (
      select sent.*, (row_number() over (partition by account_id order by place) - 1)::int as nth
      from json_to_recordset(${`[${sent.join()}]`}::json) as sent (place int, id text, account_id text, key_id text, action text, sandbox boolean,
        file_name text, source_lang text, target_lang text, char_limit bigint, skip_front_matter boolean, char_count bigint,
        estimated_credits bigint, partner_metadata jsonb, glossary jsonb, glossary_strategy text, accept_draft boolean, outputs text[],
        source_key text, source_sha256 text, stored_bytes bigint, series_id text, lane text, job_id uuid, traceparent text, held bigint, job jsonb,
        style text, ordered_terms jsonb, quote_task_id text, quote_void text, key_mode text, idempotency_key text, fingerprint text, answer_before text, answer_after text)
      ${free}
    ), before as materialized (
      select account_id, n from (select distinct account_id, lane from asked) waiting
      cross join lateral (${pendingOf(sql`waiting.account_id`, sql`waiting.lane`)}) pending
    ), ${parts},
    owned as (delete from loose_objects where key in (select source_key from paid)),
    kept as (
      insert into task_texts (task_id, content) select id, content
      from unnest(${texts}::bytea[]) with ordinality as text (content, number) join paid on place = number - 1 where content is not null
    ), placed as (
      insert into tasks (id, account_id, key_id, action, sandbox, file_name, source_lang, target_lang, char_limit, skip_front_matter,
        char_count, estimated_credits, credit_previews, partner_metadata, glossary, glossary_strategy, accept_draft, outputs,
        source_key, source_sha256, stored_bytes, series_id, lane, job_id, traceparent, style, ordered_terms, quote_task_id, quote_void)
      select paid.id, account_id, key_id, action, sandbox, file_name, source_lang, target_lang, char_limit, skip_front_matter,
        char_count, estimated_credits, (select a.credit_previews from accounts a where a.id = paid.account_id), partner_metadata, glossary, glossary_strategy, accept_draft, outputs,
        source_key, source_sha256, stored_bytes, series_id, lane, job_id, traceparent, style, ordered_terms, quote_task_id, quote_void
      from paid
      returning ${taskColumns}
    )${claims}
    select placed.*, n + nth as ahead, claimed.response_body as answer
    from placed join asked using (id) join before on before.account_id = asked.account_id ${answers}`.execute(db);
  const placed = new Map(
    rows.map(({ ahead, answer, ...row }) => [row.id, { task: toTask(row), ahead, answer: answer ?? undefined }]),
  );
  return orders.map(({ task }) => placed.get(task.id));
}

/** As `asked` has it, in JSON; terms are that already, and may be megabytes. A text would have to be escaped, and is sent beside it. */
function sentTask(
  { task, heldCredits, job, claim }: Pick<TaskOrder, 'task'> & Partial<TaskOrder>,
  place: number,
): string {
  const fields = {
    place,
    id: task.id,
    account_id: task.accountId,
    key_id: task.keyId,
    action: task.action,
    sandbox: task.sandbox,
    file_name: task.fileName.toWellFormed(),
    source_lang: task.sourceLang,
    target_lang: task.targetLang,
    char_limit: task.charLimit,
    skip_front_matter: task.skipFrontMatter,
    char_count: task.charCount,
    estimated_credits: task.estimatedCredits,
    partner_metadata: task.partnerMetadata,
    glossary_strategy: task.glossaryStrategy,
    style: task.style,
    quote_task_id: task.quoteTaskId,
    quote_void: task.quoteVoid,
    accept_draft: task.acceptDraft,
    outputs: task.outputs,
    source_key: task.sourceKey,
    source_sha256: task.sourceSha256,
    stored_bytes: task.sourceBytes,
    series_id: task.seriesId,
    lane: task.lane,
    job_id: task.jobId,
    traceparent: task.traceparent,
    held: heldCredits ?? 0,
    job: job?.job,
    key_mode: claim?.scope.mode,
    idempotency_key: claim?.scope.key,
    fingerprint: claim?.fingerprint.toString('hex'),
    answer_before: claim?.answer?.before,
    answer_after: claim?.answer?.after,
  };
  const terms = `"glossary":${task.glossaryJson ?? 'null'},"ordered_terms":${task.orderedTermsJson ?? 'null'}`;
  return `${JSON.stringify(fields).slice(0, -1)},${terms}}`;
}
