import type { TaskOutput } from '../task.ts';

/** What an action hands over to the end of its task. */
export interface ActionOutcome {
  /** Characters that the partner gets something for; price.ts makes a charge of them. */
  deliveredCharacters: number;
  result: Record<string, unknown>;
  detectedLang: string | undefined;
  outputs: TaskOutput[];
}
