/** What an operator can do about a task that its engines let down. */

import type { TaskEngine } from './engine-usage-store.ts';
import type { StoredTask } from './task-story-store.ts';

/** One sentence or two; undefined when nothing went wrong, or nobody can do anything. */
export function adviceOn({ task }: Pick<StoredTask, 'task'>, engines: readonly TaskEngine[]): string | undefined {
  if (task.status !== 'failed' && task.status !== 'pending') return undefined;
  const faults = engines.flatMap(({ engine, faults: kinds }) =>
    Object.entries(kinds).flatMap(([kind, calls]) => (kind in advice ? [{ engine, kind, calls }] : [])),
  );
  const worst = faults.toSorted((one, other) => other.calls - one.calls)[0];
  const calls = engines.reduce((sum, each) => sum + each.calls, 0);
  // A fault now and then is no reason for advice while a task is on its way.
  const isCommon = worst !== undefined && (task.status === 'failed' || worst.calls * 4 >= calls);
  if (isCommon) return advice[worst.kind]?.(worst.engine);
  if (task.status !== 'failed' || task.error?.code !== 'TRANSLATION_INCOMPLETE') return undefined;
  // The calls of a task are counted some seconds after it has ended.
  return noTranslations(engines.map(({ engine }) => engine).join(', ') || 'The engine');
}

const noTranslations = (engine: string): string =>
  `${engine} answers, but not with translations of this text. Read an answer with "npx toledo doctor --engines", and try a larger model or another engine.`;

const advice: Readonly<Record<string, (engine: string) => string>> = {
  malformed: (engine) =>
    `Answers of ${engine} cannot be read. Run "npx toledo doctor --engines"; choose a larger model, or set "structured_output": "none" for it.`,
  unusable: (engine) =>
    `${engine} answers in no format that can be read. Run "npx toledo doctor --engines", and choose another model: this one cannot follow the rules.`,
  rejected: (engine) =>
    `${engine} rejects its calls: the key, the model or the address is wrong. Try it with "npx toledo engine test ${engine}".`,
  'bad-input': (engine) =>
    `${engine} rejects these texts without a known reason; the words of its provider are above. Add a second engine for what it rejects.`,
  'spend-limit': (engine) =>
    `The budget at the provider of ${engine} is used up. Raise it there; the task goes on by itself within a minute.`,
  refused: (engine) =>
    `The provider of ${engine} refuses parts of this text. Add an engine of another provider behind it in the file of engines.`,
  'too-long': (engine) =>
    `The window of ${engine} is too small. Give its server a larger one, or set "context_tokens" to the one it has.`,
  'rate-limited': (engine) =>
    `${engine} is asked more often than its provider allows. Lower its "concurrency", or add an engine that shares its rank.`,
  overloaded: (engine) => `The server of ${engine} is overloaded or down. The task goes on when it answers again.`,
  transport: (engine) => `The server of ${engine} cannot be reached. The task goes on when it answers again.`,
  timeout: (engine) => `The server of ${engine} is too slow. Lower its "concurrency", or raise its "timeout_seconds".`,
};
