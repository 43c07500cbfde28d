import { AppError } from '../../errors.ts';

/** Runs work on the file system and turns its refusals into UNAVAILABLE; the cause is in the log. */
export async function answering<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    const full = code === 'ENOSPC' || code === 'EDQUOT';
    throw new AppError('UNAVAILABLE', `The file storage ${full ? 'is full' : 'cannot be used'} just now.`, {
      retryAfterSeconds: full ? 60 : 10,
      cause: error,
    });
  }
}

/** The code of a refused system call (`syscall` tells it from other errors with a code), else undefined. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
