import type { TaskError, TaskOutput } from '../tasks/task.ts';
import type { BlockPlace } from '../translation/memory/block-keys.ts';
import type { NewMemory } from '../translation/memory/remember.ts';
import type { Sheet } from '../translation/sheet.ts';

/** What an action hands over to the end of its task. */
export interface ActionOutcome {
  /** Characters that the partner gets something for; price.ts makes a charge of them. */
  deliveredCharacters: number;
  /** The part of them that costs nothing, because it was remembered. */
  reusedCharacters?: number;
  result: Record<string, unknown>;
  detectedLang: string | undefined;
  outputs: TaskOutput[];
  /** What later tasks may take over. */
  memories?: readonly NewMemory[];
  /** What was taken over from earlier tasks and is paid for once more. */
  paidPlaces?: readonly BlockPlace[];
  /** What happens in the book, for the volumes after it. */
  synopsis?: string;
  /** How it was translated, for the volumes after it. */
  sheet?: Sheet | undefined;
}

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
