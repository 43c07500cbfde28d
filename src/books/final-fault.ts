import type { TaskError } from '../tasks/task.ts';

/** Ends the task as failed, without charge: another run would end the same way. */
export class FinalFault extends Error {
  override readonly name = 'FinalFault';
  readonly taskError: TaskError;
  /** What the partner sees of the task besides the error. */
  readonly result: Record<string, unknown>;

  constructor(taskError: TaskError, result: Record<string, unknown> = {}) {
    super(taskError.message);
    this.taskError = taskError;
    this.result = result;
  }
}
