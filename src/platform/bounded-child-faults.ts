import { AppError, Bug, type ErrorCode, errorTable } from '../errors.ts';

/** What a child sends back. `value` is serialised by the child, so that it can refuse one that is too large. */
export type ChildAnswer = { kind: 'returned'; value: Uint8Array } | ThrownAnswer;

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

/** The error that the parent throws for what the function threw. */
export function thrownFault(thrown: ThrownAnswer): Error {
  const { message, details, retryAfterSeconds } = thrown;
  if (thrown.isAppError && isErrorCode(thrown.code)) {
    const cause = thrown.bug && bugFrom(thrown.bug);
    return new AppError(thrown.code, message, { details, retryAfterSeconds, cause });
  }
  const cause = Object.assign(new Error(message), { stack: thrown.stack });
  if (thrown.blame === 'setup') return cause;
  if (thrown.blame === 'system') {
    return new AppError('UNAVAILABLE', 'The file cannot be read just now.', { retryAfterSeconds: 10, cause });
  }
  return unreadable('The file could not be understood.', bugFrom(thrown));
}

function bugFrom({ message, stack }: { message: string; stack: string | undefined }): Bug {
  return Object.assign(new Bug(message), { stack });
}

/** The child ended by itself in the middle of a job. */
export function endFault(code: number | null, signal: NodeJS.Signals | null, lastWords: string): AppError {
  const cause = new Error(`the child ended with ${signal ?? `code ${code}`}: ${lastWords}`);
  // We log every SIGKILL and SIGTERM we send. Any other comes from the kernel (out of memory) or an operator.
  if (signal === 'SIGKILL' || signal === 'SIGTERM') {
    return new AppError('UNAVAILABLE', 'The file could not be read just now.', { retryAfterSeconds: 10, cause });
  }
  const isMemory = /heap|memory|allocation/i.test(lastWords);
  return unreadable(
    isMemory ? 'The file needs too much memory to be read.' : 'The file could not be understood.',
    cause,
  );
}

export function timeFault(timeoutMs: number): AppError {
  return unreadable(`The file could not be read within ${Math.ceil(timeoutMs / 1000)} seconds.`);
}

function unreadable(message: string, cause?: unknown): AppError {
  return new AppError('BAD_REQUEST', message, { details: { reason: 'UNREADABLE_SOURCE' }, cause });
}

function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(errorTable, code);
}
