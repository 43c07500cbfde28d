/**
 * POST /tasks after the body has been read: count the source, then one transaction that claims the idempotency key,
 * takes the hold, inserts the task, enqueues its job and stores the answer.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller, ownerOf } from '../accounts/admit.ts';
import { takeHold } from '../credits/hold-store.ts';
import type { EngineCatalog } from '../engines/catalog.ts';
import { AppError, badRequest } from '../errors.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type Db, isDatabaseAway, violatedConstraint } from '../platform/postgres.ts';
import type { JobQueue } from '../platform/queue.ts';
import type { Storage, StoredObject } from '../platform/storage/storage.ts';
import { currentTraceparent, withSpan } from '../platform/tracing.ts';
import { discardObjects } from './discard-objects.ts';
import { type FoundQuote, findQuote } from './find-quote.ts';
import type { GlossaryReader } from './glossary-reader.ts';
import { fingerprintOf } from './idempotency.ts';
import { type ClaimedKey, claimKey, type KeyScope, readKey, storeResponse } from './idempotency-store.ts';
import { insertTask, type NewTask } from './new-task-store.ts';
import { estimateOf, holdOf } from './price.ts';
import { quoteOnce } from './quote-store.ts';
import { refuseUncharged } from './refuse-uncharged.ts';
import type { SeriesCounter, SeriesOrder } from './series-order.ts';
import { requireEngine } from './served-pairs.ts';
import { aboutField, sourceField } from './source-field.ts';
import { rangeOf, type SourceFiles } from './source-files.ts';
import type { StorageQuota } from './storage-quota.ts';
import { actions, laneOf, maxInlineCharacters, type ShownTask, type Task } from './task.ts';
import { recordLowBalance } from './task-events.ts';
import type { TaskRequest } from './task-request.ts';
import { inSeries, type OrderedTask } from './task-series.ts';
import { countPending, findTask } from './task-store.ts';
import { createdView } from './task-view.ts';
import type { UnchargedToday } from './uncharged-store.ts';

export interface CreateTaskDependencies {
  db: Db;
  queue: JobQueue;
  storage: Storage;
  sources: SourceFiles;
  seriesCounts: SeriesCounter;
  glossaries: GlossaryReader;
  quota: StorageQuota;
  /** Aborts when the process has been asked to stop: nobody is kept waiting for an inline result then. */
  stopping: AbortSignal;
  metrics: Metrics;
  /** What serves live keys and what serves test keys. */
  engines: EngineCatalog;
  sandboxEngines: EngineCatalog;
  log: Log;
  unchargedCharactersPerDay: number;
}

export interface TaskSource extends StoredObject {
  /** A small text comes to be with its task; nothing is stored yet. */
  text?: Uint8Array;
}

export interface CreateTaskInput {
  caller: Caller;
  uncharged: UnchargedToday;
  idempotencyKey: string | undefined;
  /** The id that the source was stored under. */
  taskId: string;
  request: TaskRequest;
  source: TaskSource;
  /** Whose source it is a copy of. */
  earlier?: Task | undefined;
  fileName: string;
  /** Aborts when the client leaves: only the waiting for an inline result ends then. */
  signal: AbortSignal;
  /** Called when there is a task, this one or an earlier one: from then on the request only waits for its answer. */
  onlyWaits(): void;
}

export interface CreatedTask {
  /** The whole answer, as it was sent the first time. */
  body: string;
  replayed: boolean;
}

const duplicateWaitMs = 5_000;
const inlineWaitMs = 25_000;
/** A request whose process died while it waited inline never stores its answer; after this a replay does. */
const abandonedAfterMs = 40_000;

/** @throws BAD_REQUEST, IDEMPOTENCY_CONFLICT, REQUEST_IN_PROGRESS, PAYMENT_REQUIRED, PAYLOAD_TOO_LARGE, STORAGE_QUOTA, RATE_LIMITED, UNAVAILABLE */
export async function createTask(deps: CreateTaskDependencies, input: CreateTaskInput): Promise<CreatedTask> {
  const { caller } = input;
  const scope = scopeOf(input);
  const fingerprint = fingerprintOf(input.request, input.source.sha256);
  let kept = false;
  try {
    // A plain replay needs neither counting nor a transaction. A conflict is judged later: 400 comes before 409.
    const earlier = scope && (await readKey(deps.db, scope));
    if (scope && earlier?.fingerprint.equals(fingerprint)) {
      input.onlyWaits();
      return await replay(deps.db, scope, earlier);
    }

    const request = await inSeries(deps.db, caller, input.request);
    refuseUncharged(deps.unchargedCharactersPerDay, input.uncharged, caller, request.action);
    const order = { ...input, request };
    const engines = caller.mode === 'test' ? deps.sandboxEngines : deps.engines;
    await requireEngine(engines, request, () => languageOf(deps, order));
    await deps.quota.claim(caller.accountId, input.source.sizeBytes);
    const quote = await findQuote(deps, request, input.earlier);
    const counted = await countSource(deps, order, quote);
    // Some first characters are several code points that are not split, and then nothing of the source fits.
    if (counted.characters < 1) {
      throw badRequest('char_limit ends inside the first character of the source; send a larger one.', {
        field: 'char_limit',
        reason: 'EMPTY_SOURCE',
      });
    }
    const outcome = await withSpan('insert task', { characters: counted.characters }, async () => {
      try {
        return await insertOnce(deps, order, scope, fingerprint, counted, quote);
      } catch (error) {
        if (violatedConstraint(error) !== quoteOnce) throw error;
        const used = { void: 'USED' } as const;
        return await insertOnce(deps, order, scope, fingerprint, await countSource(deps, order, used), used);
      }
    }).catch((error) => {
      // A connection lost around the commit leaves open whether there is a task that needs its source: if there is
      // none, the sweeper removes it.
      kept = isDatabaseAway(error);
      throw error;
    });
    if ('claimed' in outcome) {
      if (!outcome.claimed.fingerprint.equals(fingerprint)) throw conflict();
      input.onlyWaits();
      return await replay(deps.db, scope as KeyScope, outcome.claimed);
    }
    kept = true;
    input.onlyWaits();
    deps.metrics.tasksCreated.inc({ action: outcome.task.action });
    return { body: await finishCreation(deps, outcome.task, scope, input.signal), replayed: false };
  } finally {
    if (!kept && !input.source.text) await discardObjects(deps, [input.source.key]);
  }
}

interface OrderedInput extends CreateTaskInput {
  request: OrderedTask;
}

interface CountedSource {
  characters: number;
  /** In a series, where the price depends on it. */
  rememberedCharacters?: number;
}

async function countSource(
  { sources, seriesCounts }: CreateTaskDependencies,
  { caller, request, source, earlier, fileName }: OrderedInput,
  quote: FoundQuote | undefined,
): Promise<CountedSource> {
  const { charLimit, skipFrontMatter } = request;
  const order = rememberingOrder(request, quote);
  const isCounted = earlier?.charLimit === charLimit && earlier?.skipFrontMatter === skipFrontMatter;
  if (earlier !== undefined && isCounted && order === undefined) return { characters: earlier.charCount };
  const range = rangeOf({ ...request, fileName });
  const { accountId } = caller;
  return await withSpan('count source', { bytes: source.sizeBytes }, (): Promise<CountedSource> => {
    if (order !== undefined) {
      const { seriesId } = request;
      const owner = { ...ownerOf(caller), seriesId, charLimit, creditPreviews: false };
      return seriesCounts.count({ owner, range, source, order });
    }
    return source.text
      ? sources.countSmallText(source.text, range)
      : sources.count(source.key, { ...range, owner: accountId });
  }).catch((error) => {
    throw aboutField(error, sourceField(request));
  });
}

async function languageOf({ sources }: CreateTaskDependencies, order: OrderedInput): Promise<string | undefined> {
  const { caller, request, source, earlier, fileName } = order;
  if (earlier?.detectedLang !== undefined) return earlier.detectedLang;
  const options = { ...rangeOf({ ...request, fileName }), owner: caller.accountId };
  return await sources.languageOf(source, options).catch((error) => {
    throw aboutField(error, sourceField(request));
  });
}

/** What decides how much of the text the series remembers; undefined where that does not matter for the price. */
function rememberingOrder(request: OrderedTask, quote: FoundQuote | undefined): SeriesOrder['order'] | undefined {
  const { targetLang, orderedTermsJson } = request;
  const isQuoted = quote !== undefined && 'credits' in quote;
  if (orderedTermsJson === undefined || targetLang === undefined || isQuoted) return undefined;
  if (!actions[request.action].producesFiles) return undefined;
  return {
    sourceLang: request.sourceLang?.tag,
    targetLang: targetLang.tag,
    style: request.style,
    context: request.context,
    orderedTermsJson,
    glossaryJson: request.glossary.json ?? '[]',
    strategy: request.glossaryStrategy,
    acceptDraft: request.acceptDraft,
  };
}

function scopeOf({ caller, idempotencyKey }: CreateTaskInput): KeyScope | undefined {
  return idempotencyKey === undefined
    ? undefined
    : { accountId: caller.accountId, mode: caller.mode, key: idempotencyKey };
}

/** The one transaction. @throws PAYMENT_REQUIRED, REQUEST_IN_PROGRESS */
async function insertOnce(
  deps: CreateTaskDependencies,
  input: OrderedInput,
  scope: KeyScope | undefined,
  fingerprint: Buffer,
  { characters, rememberedCharacters }: CountedSource,
  quote: FoundQuote | undefined,
): Promise<{ task: Task } | { claimed: ClaimedKey }> {
  const { caller, request, taskId } = input;
  const { accountId } = caller;
  const binding = quote !== undefined && 'credits' in quote ? quote : undefined;
  const priced = { ...request, rememberedCharacters, quotedCredits: binding?.credits };
  const heldCredits = holdOf(priced, characters, caller.mode);
  const lane = laneOf(request.action, characters);
  const jobId = randomUUID();
  const newTask: NewTask = {
    id: taskId,
    ...ownerOf(caller),
    keyId: caller.keyId,
    action: request.action,
    fileName: input.fileName,
    sourceLang: request.sourceLang?.tag ?? 'auto',
    targetLang: request.targetLang?.tag,
    charLimit: request.charLimit,
    skipFrontMatter: request.skipFrontMatter,
    charCount: characters,
    estimatedCredits: estimateOf(priced, characters),
    partnerMetadata: request.metadata,
    glossaryJson: request.glossary.json,
    glossaryStrategy: request.glossaryStrategy,
    style: request.style,
    context: request.context,
    orderedTermsJson: request.orderedTermsJson,
    quoteTaskId: binding?.taskId,
    quoteVoid: quote !== undefined && 'void' in quote ? quote.void : undefined,
    acceptDraft: request.acceptDraft,
    outputs: request.outputs,
    sourceKey: input.source.key,
    sourceSha256: input.source.sha256,
    sourceBytes: input.source.sizeBytes,
    sourceText: input.source.text,
    seriesId: request.seriesId,
    lane,
    jobId,
    traceparent: currentTraceparent(),
  };
  return await deps.db.transaction().execute(async (trx) => {
    if (scope) {
      const claimed = await claimKey(trx, scope, { fingerprint, taskId }, duplicateWaitMs);
      if (claimed === 'busy') throw inProgress();
      if (claimed) return { claimed };
    }
    // First, because the account's creates wait here for each other: each then counts those before it.
    const hold = await takeHold(trx, accountId, taskId, heldCredits);
    const ahead = await countPending(trx, accountId, lane);
    const task = await insertTask(trx, newTask);
    await deps.queue.enqueue(trx, { taskId, accountId, lane, ahead, jobId });
    if (scope && !isInline(task)) await storeResponse(trx, scope, bodyOf(task));
    await recordLowBalance(trx, deps.queue, accountId, hold);
    return { task };
  });
}

/** An inline action is waited for; whatever it is by then is the answer, for this call and for every replay. */
async function finishCreation(
  deps: CreateTaskDependencies,
  task: Task,
  scope: KeyScope | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (!isInline(task)) return bodyOf(task);
  const latest = await untilEnded(deps.db, task, inlineWaitMs, AbortSignal.any([signal, deps.stopping]));
  const body = bodyOf(latest);
  // A client that left did not see this answer: its retry may wait for the result, so nothing is fixed yet.
  if (signal.aborted && latest.status === 'pending') return body;
  return scope ? await storeResponse(deps.db, scope, body) : body;
}

/** @throws REQUEST_IN_PROGRESS when the first request is still waiting for its inline result */
async function replay(db: Db, scope: KeyScope, claimed: ClaimedKey): Promise<CreatedTask> {
  const deadline = Date.now() + duplicateWaitMs;
  for (let current: ClaimedKey | undefined = claimed; current; ) {
    if (current.responseBody !== null) return { body: current.responseBody, replayed: true };
    const task = await findTask(db, ownerOf(scope), current.taskId);
    if (task.status !== 'pending' || Date.now() - task.createdAt.getTime() > abandonedAfterMs) {
      return { body: await storeResponse(db, scope, bodyOf(task)), replayed: true };
    }
    if (Date.now() >= deadline) break;
    await sleep(100);
    current = await readKey(db, scope);
  }
  throw inProgress();
}

async function untilEnded(db: Db, task: Task, timeoutMs: number, signal: AbortSignal): Promise<Task> {
  const deadline = Date.now() + timeoutMs;
  let current = task;
  for (
    let waitMs = 20;
    current.status === 'pending' && Date.now() < deadline && !signal.aborted;
    waitMs = Math.min(250, waitMs * 1.3)
  ) {
    await sleep(waitMs);
    current = await findTask(db, task, task.id);
  }
  return current;
}

function isInline(task: Pick<Task, 'action' | 'charLimit' | 'charCount'>): boolean {
  return actions[task.action].inline && task.charLimit !== undefined && task.charCount <= maxInlineCharacters;
}

function bodyOf(task: ShownTask): string {
  return JSON.stringify({ success: true, data: createdView(task) });
}

function conflict(): AppError {
  return new AppError(
    'IDEMPOTENCY_CONFLICT',
    'This Idempotency-Key was used before for a different request; use a fresh key for a different request.',
  );
}

function inProgress(): AppError {
  return new AppError('REQUEST_IN_PROGRESS', 'The same request is still being created; retry with the same key.', {
    retryAfterSeconds: 2,
  });
}
