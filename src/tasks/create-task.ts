/**
 * POST /tasks after the body has been read. The source is counted; then one transaction claims the idempotency key,
 * takes the hold, inserts the task, enqueues its job and stores the answer.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownerOf } from '../accounts/admit.ts';
import { takeHold } from '../credits/hold-store.ts';
import { AppError } from '../errors.ts';
import { type Db, isDatabaseAway, violatedConstraint } from '../platform/postgres.ts';
import { currentTraceparent, withSpan } from '../platform/tracing.ts';
import { type ClaimedKey, claimKey, type KeyScope, readKey, storeResponse } from './idempotency-store.ts';
import { type CreateTaskDependencies, type CreateTaskInput, countSource, type Order, orderTask } from './order-task.ts';
import { estimateOf, holdOf } from './price.ts';
import { quoteOnce } from './price-store.ts';
import { discardObjects } from './stored-objects.ts';
import { actions, laneOf, maxInlineCharacters, type NewTask, type ShownTask, type Task } from './task.ts';
import { recordLowBalance } from './task-events.ts';
import { fingerprintOf } from './task-request.ts';
import { countPending, findTask, insertTask } from './task-store.ts';
import { createdView } from './task-view.ts';

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

    const order = await orderTask(deps, input);
    const outcome = await withSpan('insert task', { characters: order.counted.characters }, async () => {
      try {
        return await insertOnce(deps, order, scope, fingerprint);
      } catch (error) {
        if (violatedConstraint(error) !== quoteOnce) throw error;
        const quote = { void: 'USED' } as const;
        const unquoted = { ...order, quote, counted: await countSource(deps, order, quote) };
        return await insertOnce(deps, unquoted, scope, fingerprint);
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

function scopeOf({ caller, idempotencyKey }: CreateTaskInput): KeyScope | undefined {
  return idempotencyKey === undefined
    ? undefined
    : { accountId: caller.accountId, mode: caller.mode, key: idempotencyKey };
}

/** The one transaction. @throws PAYMENT_REQUIRED, REQUEST_IN_PROGRESS */
async function insertOnce(
  deps: CreateTaskDependencies,
  { caller, request, taskId, source, fileName, counted, quote }: Order,
  scope: KeyScope | undefined,
  fingerprint: Buffer,
): Promise<{ task: Task } | { claimed: ClaimedKey }> {
  const { characters, rememberedCharacters } = counted;
  const { accountId } = caller;
  const binding = quote !== undefined && 'credits' in quote ? quote : undefined;
  const priced = { ...request, rememberedCharacters, quotedCredits: binding?.credits };
  const heldCredits = holdOf(priced, characters, caller.mode);
  const lane = laneOf(request.action, characters);
  const jobId = randomUUID();
  const newTask: NewTask = {
    ...request,
    ...ownerOf(caller),
    id: taskId,
    keyId: caller.keyId,
    fileName,
    sourceLang: request.sourceLang?.tag ?? 'auto',
    targetLang: request.targetLang?.tag,
    charCount: characters,
    estimatedCredits: estimateOf(priced, characters),
    partnerMetadata: request.metadata,
    glossaryJson: request.glossary.json,
    quoteTaskId: binding?.taskId,
    quoteVoid: quote !== undefined && 'void' in quote ? quote.void : undefined,
    sourceKey: source.key,
    sourceSha256: source.sha256,
    sourceBytes: source.sizeBytes,
    sourceText: source.text,
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
    if (current.responseBody !== undefined) return { body: current.responseBody, replayed: true };
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
  const message =
    'This Idempotency-Key was used before for a different request; use a fresh key for a different request.';
  return new AppError('IDEMPOTENCY_CONFLICT', message);
}

function inProgress(): AppError {
  return new AppError('REQUEST_IN_PROGRESS', 'The same request is still being created; retry with the same key.', {
    retryAfterSeconds: 2,
  });
}
