/** How a call of an engine can fail. */
import { isOneOf } from '../written-values.ts';
import type { EngineUsage } from './engine.ts';

/**
 * `rejected`: the engine will do no call, whatever it is about (its key, its model). `unusable`: it answers, and nothing of it can be used,
 * so often in a row that it is no accident. `bad-input`: it will not do this one, for a reason
 * that nobody knows. `refused`: its provider will not have this text. `too-long`: less text at once may go. `parameter` and `thinking`:
 * the engine has changed how it asks.
 */
export type EngineFaultKind =
  | (typeof passing)[number]
  | (typeof aboutText)[number]
  | 'spend-limit'
  | 'rejected'
  | 'unusable';

/** The same call may go another time. */
const passing = ['rate-limited', 'overloaded', 'transport', 'timeout', 'malformed'] as const;
/** The fault of this text: other texts may well be translated. */
const aboutText = ['malformed', 'refused', 'too-long', 'bad-input', 'parameter', 'thinking'] as const;

export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly kind: EngineFaultKind;
  /** From Retry-After: a floor, however long. */
  readonly retryAfterMs: number | undefined;
  /** HTTP status, where there was one. */
  readonly status: number | undefined;
  /** The engine has learned something from it: the same request is worth asking again at once. */
  readonly adapted: boolean;
  /** What the failed call is billed with. */
  readonly usage: EngineUsage | undefined;
  /** The configured name of the engine; for operators only. */
  engine: string | undefined;

  constructor(kind: EngineFaultKind, message: string, options: EngineErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
    this.adapted = options.adapted ?? false;
    this.usage = options.usage;
  }

  get retryable(): boolean {
    return isOneOf(this.kind, passing);
  }

  get isAboutText(): boolean {
    return isOneOf(this.kind, aboutText);
  }
}

export interface EngineErrorOptions {
  retryAfterMs?: number | undefined;
  status?: number | undefined;
  adapted?: boolean;
  usage?: EngineUsage | undefined;
  cause?: unknown;
}

/** A server that complains anew each time is asked no more: dropped fields, formats and windows together are fewer. */
const mostAdaptations = 12;

/** Asks once more each time the engine has learned how to ask. */
export async function adapting<T>(ask: () => Promise<T>): Promise<T> {
  for (let adaptations = 0; ; adaptations++) {
    try {
      return await ask();
    } catch (error) {
      if (!mayAdapt(error, adaptations)) throw error;
    }
  }
}

/** The engine has learned from the fault, so the same request is worth asking once more. */
export function mayAdapt(error: unknown, adaptations: number): boolean {
  return error instanceof EngineError && error.adapted && adaptations < mostAdaptations;
}
