import type { CallOptions, CallResult } from './transport.js';
import type { Task } from './wire-types.js';
export interface WaitOptions extends CallOptions {
    /** After every poll, the last one included. */
    onProgress?: ((task: Task) => void) | undefined;
}
/**
 * Any status but a known final one means "not finished": a status of a later version must neither end the wait nor cause a
 * busy loop.
 * @throws TaskFailedError, TaskCancelledError, ApiError, or the signal's reason
 */
export declare function waitForTask(poll: (options: CallOptions) => Promise<CallResult<Task>>, { onProgress, signal }: WaitOptions): Promise<Task>;
