/** Modules whose functions run in the sandbox, and what a sandbox process and its parent say to each other. */
import type { SpanMessage } from './tracing-relay.ts';

export interface RunMessage {
  kind: 'run';
  moduleUrl: string;
  functionName: string;
  argument: unknown;
  isTraced: boolean;
}

export type ToProcess = RunMessage | { kind: 'reply'; id: number; value: unknown };

export type FromProcess =
  /** Its modules are there, and a job could begin. */
  | { kind: 'loaded' }
  | { kind: 'call'; id: number; method: string; argument: unknown; span: number }
  /** The job no longer waits for the answer to a call. */
  | { kind: 'abandoned'; id: number }
  | SpanMessage
  | JobAnswer;

/** How a job ends. `value` is serialised by the process, so that it can refuse one that is too large. */
export type JobAnswer = { kind: 'returned'; value: Uint8Array } | ThrownAnswer;

export interface ThrownAnswer {
  kind: 'thrown';
  isAppError: boolean;
  /** The code of an AppError, or the system's code of another error if it has one. */
  code: string | undefined;
  message: string;
  details: Record<string, unknown> | undefined;
  retryAfterSeconds: number | undefined;
  stack: string | undefined;
  /** The stack of a `Bug` that caused an AppError. */
  bug: { message: string; stack: string | undefined } | undefined;
  /** `setup`: the module or function is missing. `system`: the file system refused. `input`: anything else. */
  blame: 'setup' | 'system' | 'input';
}

/**
 * What a job may ask its parent for: functions of one argument. An aborted signal gives a call up on both sides. A call
 * that throws in the parent ends the job with that very error, so what a job should handle itself is returned as data.
 */
export type HostFunction = (argument: unknown, signal: AbortSignal) => Promise<unknown>;

/**
 * A module whose exported functions run in the sandbox. The type parameter is the module's own type, so that a renamed
 * function or a changed argument does not compile: `jobModule<typeof import('./jobs.ts')>(new URL('./jobs.ts', …))`.
 */
export interface JobModule<M> {
  readonly url: URL;
  readonly functions?: M;
}

export function jobModule<M>(url: URL): JobModule<M> {
  return { url };
}

export type JobName<M> = { [K in keyof M]: M[K] extends (...args: never[]) => unknown ? K : never }[keyof M] & string;
export type JobArgument<F> = F extends (argument: infer A, ...rest: never[]) => unknown ? A : never;
export type JobResult<F> = F extends (...args: never[]) => infer R ? Awaited<R> : never;
/** The second parameter, for a function that has one. */
export type JobHost<F> = F extends (...args: infer P) => unknown
  ? P extends [unknown, infer H]
    ? { host: H & object }
    : { host?: undefined }
  : never;
