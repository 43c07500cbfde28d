import { AppError, Bug, type ErrorCode, errorTable } from '../errors.ts';
import type { ThrownAnswer } from './job-module.ts';

/**
 * What a job is told to blame when it could not finish. `reading`: the input cannot be read, whatever went wrong. `processing`:
 * the input is readable, so memory or processor time that is used up is the input's fault (PROCESSING_LIMIT). Any other exception
 * is a fault of ours.
 */
export type Blame = 'reading' | 'processing';

/** Something outside of us has killed a process. */
export class ProcessKilled extends Error {
  override readonly name = 'ProcessKilled';
}

/** The error that the parent throws for what the function threw. */
export function thrownFault(thrown: ThrownAnswer, blame: Blame): Error {
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
  return blame === 'processing' ? cause : unreadable('The file could not be understood.', bugFrom(thrown));
}

function bugFrom({ message, stack }: { message: string; stack: string | undefined }): Bug {
  return Object.assign(new Bug(message), { stack });
}

/** The process ended by itself in the middle of a job. */
export function endFault(code: number | null, signal: NodeJS.Signals | null, lastWords: string, blame: Blame): Error {
  const cause = new Error(`the process ended with ${signal ?? `code ${code}`}: ${lastWords}`);
  // We log every SIGKILL and SIGTERM we send. Any other comes from the kernel (out of memory) or an operator.
  if (signal === 'SIGKILL' || signal === 'SIGTERM') {
    return new AppError('UNAVAILABLE', 'The file could not be read just now.', {
      retryAfterSeconds: 10,
      cause: new ProcessKilled(cause.message),
    });
  }
  if (/heap|memory|alloc/i.test(lastWords)) {
    return blame === 'processing'
      ? processingLimit('The text needs more memory than a text of its size may use.', cause)
      : unreadable('The file needs too much memory to be read.', cause);
  }
  return blame === 'processing' ? cause : unreadable('The file could not be understood.', cause);
}

export function timeFault(timeoutMs: number): AppError {
  return unreadable(`The file could not be read within ${Math.ceil(timeoutMs / 1000)} seconds.`);
}

export function processorFault(processorMs: number, blame: Blame): AppError {
  const seconds = Math.ceil(processorMs / 1000);
  return blame === 'processing'
    ? processingLimit(
        `The text needs more than the ${seconds} seconds of processor time that a text of its size may use.`,
      )
    : unreadable(`The file could not be read within ${seconds} seconds of processor time.`);
}

export function processingLimit(message: string, cause?: unknown): AppError {
  return new AppError('BAD_REQUEST', message, { details: { reason: 'PROCESSING_LIMIT' }, cause });
}

function unreadable(message: string, cause?: unknown): AppError {
  return new AppError('BAD_REQUEST', message, { details: { reason: 'UNREADABLE_SOURCE' }, cause });
}

export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('UNAVAILABLE', message, { retryAfterSeconds: 5, cause });
}

function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(errorTable, code);
}
