/** The order of a failed task once more, as a task of its own: an end is final, and what failed was charged nothing. */
import type { Caller } from '../accounts/admit.ts';
import { AppError } from '../errors.ts';
import { parseLanguage } from '../language/languages.ts';
import { newId } from '../platform/ids.ts';
import { createTask } from './create-task.ts';
import type { CreateTaskDependencies } from './order-task.ts';
import { copySource, putNoted } from './stored-objects.ts';
import type { Task } from './task.ts';
import { readGlossary } from './task-store.ts';

/** @returns the id of the new task. @throws TASK_NOT_READY, SOURCE_EXPIRED, PAYMENT_REQUIRED and what a create call throws */
export async function retryTask(deps: CreateTaskDependencies, task: Task): Promise<string> {
  if (task.status !== 'failed')
    throw new AppError('TASK_NOT_READY', `Only a failed task is tried again; this one is ${task.status}.`);
  const taskId = newId('task');
  const owner = { accountId: task.accountId, sandbox: task.sandbox };
  const { earlier, stored } = await copySource(deps, owner, task.id, (body) =>
    putNoted(deps, taskId, `sources/${taskId}`, body),
  );
  const glossaryJson = await readGlossary(deps.db, task.id);
  await createTask(deps, {
    caller: callerOf(task),
    idempotencyKey: undefined,
    taskId,
    request: {
      ...task,
      sourceLang: task.sourceLang === 'auto' ? undefined : parseLanguage(task.sourceLang),
      targetLang: task.targetLang === undefined ? undefined : parseLanguage(task.targetLang),
      estimatedChars: undefined,
      glossary: { json: glossaryJson, canonical: await deps.glossaries.canonical(glossaryJson, task.accountId) },
      metadata: task.partnerMetadata,
      text: undefined,
      sourceTaskId: task.id,
    },
    source: stored,
    earlier,
    fileName: task.fileName,
    signal: AbortSignal.timeout(1_000),
    onlyWaits: () => {},
  });
  return taskId;
}

/** As if the partner had ordered it again with the same key. */
function callerOf(task: Task): Caller {
  return {
    accountId: task.accountId,
    keyId: task.keyId,
    keyPrefix: '',
    mode: task.sandbox ? 'test' : 'live',
    rateLimitPerMinute: 1,
    suspended: false,
  };
}
