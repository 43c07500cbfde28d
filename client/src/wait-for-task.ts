/** Polls a task until it has ended. */
import { TaskCancelledError, TaskFailedError } from './errors.ts';
import { isRetryable, retryAfterMs } from './retry-delay.ts';
import { sleep } from './sleep.ts';
import type { CallOptions, CallResult } from './transport.ts';
import type { Task } from './wire-types.ts';

export interface WaitOptions extends CallOptions {
  /** After every poll, the last one included. */
  onProgress?: ((task: Task) => void) | undefined;
}

const firstPollMs = 1_000;
const maxPollMs = 15_000;
/** The service never asks for more than 15 s, but a proxy in between might. */
const maxHintMs = 60_000;
/** How long the service may be away, for example during an upgrade, before we stop waiting. The task is not lost. */
const patienceMs = 300_000;

/**
 * Any status but a known final one means "not finished": a status of a later version must neither end the wait nor cause a
 * busy loop.
 * @throws TaskFailedError, TaskCancelledError, ApiError, or the signal's reason
 */
export async function waitForTask(
  poll: (options: CallOptions) => Promise<CallResult<Task>>,
  { onProgress, signal }: WaitOptions,
): Promise<Task> {
  let awaySince: number | undefined;
  for (let pollMs = firstPollMs; ; pollMs = Math.min(maxPollMs, pollMs * 1.5)) {
    let answer: CallResult<Task> | undefined;
    try {
      answer = await poll({ signal });
      awaySince = undefined;
    } catch (error) {
      awaySince ??= Date.now();
      if (signal?.aborted || !isRetryable(error) || Date.now() - awaySince > patienceMs) throw error;
    }
    if (answer) {
      onProgress?.(answer.data);
      if (answer.data.status === 'completed') return answer.data;
      if (answer.data.status === 'failed') throw new TaskFailedError(answer.data);
      if (answer.data.status === 'cancelled') throw new TaskCancelledError(answer.data);
    }
    const hintMs = answer && retryAfterMs(answer.headers);
    // Up to a tenth more, so that many tasks created together are not polled together.
    await sleep(Math.min(hintMs ?? pollMs, maxHintMs) * (1 + Math.random() / 10), signal);
  }
}
