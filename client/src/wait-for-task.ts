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
/** No hint of the service is longer than 15 s; something in between may say what it likes. */
const maxHintMs = 60_000;
/** The service may be away that long, for an upgrade say, before waiting is given up. The task is not lost either way. */
const patienceMs = 300_000;

/**
 * Anything but an ending we know is "not finished": a status word of a later version must neither end the wait nor turn
 * it into a hot loop.
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
