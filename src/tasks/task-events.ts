/** What partners are told of their tasks, in the transactions that make it so. */
import type { HeldCredits } from '../credits/hold-store.ts';
import type { EventType } from '../events/event.ts';
import { type EventQueue, recordEvent } from '../events/record-event.ts';
import type { Trx } from '../platform/postgres.ts';
import type { Task, TaskOutput } from './task.ts';
import { endTask, readOutputs } from './task-store.ts';
import { taskView } from './task-view.ts';

type TaskEnd = Parameters<typeof endTask>[2];

/** The only way a task ends: with its event. Last in its transaction, because the account's feed is locked from here on. */
export async function endTaskWithEvent(trx: Trx, queue: EventQueue, taskId: string, end: TaskEnd): Promise<Task> {
  const task = await endTask(trx, taskId, end);
  await recordTaskEvent(trx, queue, `task.${end.status}`, task, await readOutputs(trx, taskId));
  return task;
}

/** What a cancelled task had finished can be downloaded now. Last in its transaction. */
export async function recordDelivery(
  trx: Trx,
  queue: EventQueue,
  task: Task,
  outputs: readonly TaskOutput[],
): Promise<void> {
  await recordTaskEvent(trx, queue, 'task.delivered', task, outputs);
}

/** An event outlives the text of its task: what an inline action found stays in the task. */
async function recordTaskEvent(
  trx: Trx,
  queue: EventQueue,
  type: EventType,
  task: Task,
  outputs: readonly TaskOutput[],
): Promise<void> {
  const { id: taskId, accountId, sandbox } = task;
  const { terms: _terms, metadata: _metadata, ...data } = taskView(task, outputs) as Record<string, unknown>;
  await recordEvent(trx, queue, { accountId, sandbox, type, taskId, data });
}

/** To the live keys, once per crossing: when this hold took the available credits below the account's threshold. */
export async function recordLowBalance(
  trx: Trx,
  queue: EventQueue,
  accountId: string,
  { availableCredits, heldCredits, lowBalanceCredits }: HeldCredits,
): Promise<void> {
  const threshold = lowBalanceCredits ?? 0;
  if (availableCredits >= threshold || availableCredits + heldCredits < threshold) return;
  const data = { balance_credits: availableCredits, low_balance_credits: threshold };
  await recordEvent(trx, queue, { accountId, sandbox: false, type: 'balance.low', data });
}
