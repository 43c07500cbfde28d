/** The field of a request that its source came in, for faults of the source. */
import { AppError } from '../errors.ts';
import type { TaskRequest } from './task-request.ts';

export function sourceField({ text, sourceTaskId }: TaskRequest): 'file' | 'text' | 'source_task_id' {
  if (sourceTaskId !== undefined) return 'source_task_id';
  return text === undefined ? 'file' : 'text';
}

/** Readers know a file and not how it was sent, so here its faults speak of the field. */
export function aboutField(error: unknown, field: string): unknown {
  if (!(error instanceof AppError) || error.details?.reason === undefined) return error;
  const { code, retryAfterSeconds, cause } = error;
  const message = field === 'text' ? error.message.replaceAll(/\bfile\b/g, 'text') : error.message;
  return new AppError(code, message, { details: { ...error.details, field }, retryAfterSeconds, cause });
}
