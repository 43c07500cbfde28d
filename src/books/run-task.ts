/** The worker's side of a task: take it, do what its action asks, end it with its credits, or leave it to be tried again. */

import { settleHold } from '../credits/hold-store.ts';
import { AppError } from '../errors.ts';
import { onBehalfOf } from '../platform/fair-pool.ts';
import type { Platform } from '../platform/platform.ts';
import { isDatabaseAway } from '../platform/postgres.ts';
import type { RunningJob } from '../platform/queue.ts';
import { withSpan } from '../platform/tracing.ts';
import { ProcessKilled } from '../sandbox/job-faults.ts';
import { type Attempt, Fenced } from '../tasks/attempt.ts';
import { looseOutputs } from '../tasks/object-store.ts';
import { chargeOnCompletion, chargeOnFailure, unchargedWork, uncoveredWork } from '../tasks/price.ts';
import { discardObjects } from '../tasks/stored-objects.ts';
import type { Task, TaskError } from '../tasks/task.ts';
import { endTaskWithEvent } from '../tasks/task-events.ts';
import { insertOutputs } from '../tasks/task-store.ts';
import { addUncharged, readSent } from '../tasks/uncharged-store.ts';
import { BookTranslationError } from '../translation/book-translation-error.ts';
import { type ActionOutcome, FinalFault } from './action-outcome.ts';
import { type ActionDependencies, performAction } from './actions.ts';
import {
  type BegunTask,
  beginAttempt,
  excuseAttempt,
  isTeachingPending,
  recordEngineFault,
  recordFault,
  replaceJob,
  requireAttempt,
} from './attempt-store.ts';
import { deliverCancelled } from './deliver-cancelled.ts';
import { appendTaskLog, type LogLevel } from './task-log-store.ts';
import { continueStory, rememberBook } from './task-memory.ts';

export type RunTaskDependencies = ActionDependencies & Pick<Platform, 'queue' | 'log' | 'tracing'>;

const maxFaults = 5;
/** With a lease of 12 s, five minutes of dying workers; a restart now and then never comes near it. */
const maxLostAttempts = 25;
const maxAgeSeconds = 72 * 3600;
/** An engine outage is waited out; the breaker probes every 10 s, so coming back much sooner helps nobody. */
const outageRetrySeconds = 10;
/** What a cancelled task had finished is written within seconds. */
const teachingRetrySeconds = 1;

/** Throws only when the job itself should be tried again by the queue. */
export async function runTask(deps: RunTaskDependencies, job: RunningJob): Promise<void> {
  const begun = await beginAttempt(deps.db, job.taskId);
  if (!begun) return await deliverCancelled(deps, job);
  const { task } = begun;
  const attributes = {
    task: task.id,
    account: task.accountId,
    action: task.action,
    attempt: task.attempt,
    characters: task.charCount,
    waited_seconds: begun.ageSeconds,
  };
  const { traceparent } = task;
  await deps.tracing.startTrace('run task', { kind: 'consumer', attributes, traceparent }, () =>
    onBehalfOf(task.accountId, () => runAttempt(deps, job, begun)),
  );
}

/** A job, and the hold on its task. */
interface Held {
  deps: RunTaskDependencies;
  job: RunningJob;
  task: Task;
  attempt: Attempt;
}

async function runAttempt(deps: RunTaskDependencies, job: RunningJob, begun: BegunTask): Promise<void> {
  const { task, faults, lostAttempts, ageSeconds } = begun;
  const attempt: Attempt = { taskId: task.id, number: task.attempt };
  const held = { deps, job, task, attempt };
  try {
    if (ageSeconds > maxAgeSeconds) return await failTask(deps, job, task, attempt, expired);
    if (faults >= maxFaults || lostAttempts >= maxLostAttempts)
      return await failTask(deps, job, task, attempt, internal);
    // What a cancelled task of the series was charged for must not be paid once more.
    if (await isTeachingPending(deps.db, task)) return await giveBack(held, teachingRetrySeconds);
    const outcome = await performAction(deps, task, attempt, job.signal);
    await withSpan('complete task', { outputs: outcome.outputs.length }, () =>
      completeTask(deps, job, task, attempt, outcome),
    );
  } catch (error) {
    // An attempt that does not complete takes its files with it; only what no row speaks of is loose.
    await discardObjects(deps, await looseOutputs(deps.db, attempt).catch(() => []));
    await handleFault(held, error);
  }
}

type EndDependencies = Pick<RunTaskDependencies, 'db' | 'queue' | 'metrics'>;

/** Outputs, charge, end state and job in one transaction. @throws Fenced */
export async function completeTask(
  { db, queue, metrics }: EndDependencies,
  job: Pick<RunningJob, 'complete'>,
  task: Task,
  attempt: Attempt,
  outcome: ActionOutcome,
): Promise<void> {
  const charged = await db.transaction().execute(async (trx) => {
    await requireAttempt(trx, attempt);
    await insertOutputs(trx, task.id, outcome.outputs);
    await rememberBook(trx, task, outcome);
    await continueStory(trx, task, outcome);
    const { deliveredCharacters, reusedCharacters = 0 } = outcome;
    const charge = chargeOnCompletion(task, { deliveredCharacters, reusedCharacters });
    const creditsCharged = await settleHold(trx, task.id, charge);
    await addUncharged(trx, task.accountId, uncoveredWork(task, charge, creditsCharged));
    const { result, detectedLang } = outcome;
    await job.complete(trx);
    await endTaskWithEvent(trx, queue, task.id, { status: 'completed', creditsCharged, result, detectedLang });
    return creditsCharged;
  });
  metrics.tasksEnded.inc({ action: task.action, status: 'completed' });
  metrics.creditsCharged.inc(charged);
}

/** Everything held is given back. @throws Fenced */
export async function failTask(
  { db, queue, metrics }: EndDependencies,
  job: Pick<RunningJob, 'complete'>,
  task: Task,
  attempt: Attempt,
  error: TaskError,
  result?: Record<string, unknown>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await requireAttempt(trx, attempt);
    const creditsCharged = await settleHold(trx, task.id, chargeOnFailure);
    const end = { sandbox: task.sandbox, errorCode: error.code };
    await addUncharged(trx, task.accountId, unchargedWork(end, await readSent(trx, task.id), creditsCharged));
    await job.complete(trx);
    await endTaskWithEvent(trx, queue, task.id, { status: 'failed', creditsCharged, error, result });
  });
  metrics.tasksEnded.inc({ action: task.action, status: 'failed' });
}

async function handleFault(held: Held, error: unknown): Promise<void> {
  const { deps, job, task, attempt } = held;
  /** To the log of the process and to the one that the operator sees beside the task. */
  const note = async (level: LogLevel, text: string, more: Record<string, unknown> = {}) => {
    deps.log[level]({ task: task.id, attempt: attempt.number, err: error, ...more }, text);
    await appendTaskLog(deps.db, attempt, level, `${text} (${inWords(error)})`);
  };
  if (error instanceof Fenced)
    return deps.log.info({ task: task.id, attempt: attempt.number }, 'task no longer held by this worker');
  // Stopping or cancelled: nothing went wrong, so no fault is counted.
  if (job.signal.aborted) return await giveBack(held, 0);
  if (error instanceof BookTranslationError && error.retryable) {
    const delaySeconds = Math.max(outageRetrySeconds, Math.ceil((error.retryAfterMs ?? 0) / 1000));
    await note('warn', 'no engine answers; the task waits', { delaySeconds });
    await recordEngineFault(deps.db, attempt, error.message);
    return await giveBack(held, delaySeconds);
  }
  if (wasKilled(error)) {
    // Once it may be an operator; the machine's memory running out comes back with the same text.
    await note('warn', 'the process of the task was killed; it will be tried again');
    await recordFault(deps.db, attempt).catch(() => {});
    throw error;
  }
  if (isDatabaseAway(error) || (error instanceof AppError && error.code === 'UNAVAILABLE')) {
    await note('warn', 'task interrupted; it will be tried again');
    await excuseAttempt(deps.db, attempt).catch(() => {});
    throw error;
  }
  if (error instanceof FinalFault) {
    await note('info', 'task ended without work', { code: error.taskError.code, err: undefined });
    return await endQuietly(() => failTask(deps, job, task, attempt, error.taskError, error.result));
  }
  const final = finalError(error);
  if (final) {
    await note('warn', 'task failed');
    if (error instanceof BookTranslationError) await recordEngineFault(deps.db, attempt, error.message);
    const warnings = error instanceof BookTranslationError ? error.warnings : [];
    return await endQuietly(() =>
      failTask(deps, job, task, attempt, final, warnings.length === 0 ? undefined : { warnings }),
    );
  }
  await note('error', 'task hit an unexpected fault');
  await recordFault(deps.db, attempt);
  throw error;
}

/** Only what we wrote ourselves: the message of an unexpected fault may quote the text. */
function inWords(error: unknown): string {
  if (error instanceof FinalFault) return error.taskError.code;
  if (error instanceof BookTranslationError || error instanceof AppError) return error.message;
  return error instanceof Error ? error.name : 'unknown';
}

function wasKilled(error: unknown): boolean {
  return error instanceof AppError && error.cause instanceof ProcessKilled;
}

/** Puts the task back into the queue under a new job, in one transaction with ending this one. */
async function giveBack({ deps, job, task, attempt }: Held, delaySeconds: number): Promise<void> {
  const { db, queue } = deps;
  const { id: taskId, accountId, lane } = task;
  await endQuietly(() =>
    db.transaction().execute(async (trx) => {
      await requireAttempt(trx, attempt);
      // It has waited for its turn before, and keeps it.
      const jobId = await queue.enqueue(trx, { taskId, accountId, lane, ahead: job.ahead, delaySeconds });
      await replaceJob(trx, attempt, jobId);
      await job.complete(trx);
    }),
  );
}

async function endQuietly(end: () => Promise<void>): Promise<void> {
  try {
    await end();
  } catch (error) {
    if (!(error instanceof Fenced)) throw error;
  }
}

/** Faults that another run cannot cure. */
function finalError(error: unknown): TaskError | undefined {
  if (error instanceof BookTranslationError) return bookErrors[error.code];
  if (error instanceof AppError && (error.code === 'BAD_REQUEST' || error.code === 'PAYLOAD_TOO_LARGE')) {
    return { code: String(error.details?.reason ?? error.code), message: error.message, retryable: false };
  }
  return undefined;
}

const bookErrors: Record<BookTranslationError['code'], TaskError> = {
  TOO_MUCH_FAILED: {
    code: 'TRANSLATION_INCOMPLETE',
    message: 'Too much of the text could not be translated; nothing was charged.',
    retryable: false,
  },
  NOTHING_EXTRACTED: {
    code: 'EXTRACTION_FAILED',
    message: 'No part of the text could be read for names and terms; nothing was charged.',
    retryable: true,
  },
  ENGINE_UNAVAILABLE: {
    code: 'TRANSLATION_UNAVAILABLE',
    message: 'The translation service refused this work; nothing was charged.',
    retryable: true,
  },
};
const expired: TaskError = {
  code: 'TIMED_OUT',
  message: 'The task could not be finished within 72 hours; nothing was charged.',
  retryable: true,
};
const internal: TaskError = {
  code: 'INTERNAL',
  message: 'The task failed repeatedly on our side; nothing was charged.',
  retryable: true,
};
