import { AppError, badRequest } from '../../errors.ts';

/** The words in `details.reason` that reading a body can produce; partners may match on them. */
export type UploadReason =
  | 'MALFORMED_BODY'
  | 'INCOMPLETE_BODY'
  | 'INVALID_BOUNDARY'
  | 'INVALID_ENCODING'
  | 'INVALID_VALUE'
  | 'DUPLICATE_FIELD'
  | 'TOO_MANY_PARTS'
  | 'TOO_MANY_FILES'
  | 'FILE_NEEDS_MULTIPART'
  | 'EMPTY_SOURCE'
  | 'UPLOAD_TOO_SLOW';

export function uploadFault(reason: UploadReason, message: string, field?: string): AppError {
  return badRequest(message, field === undefined ? { reason } : { field, reason });
}

export function tooLarge(what: string, limit: { bytes: number } | { characters: number }, field?: string): AppError {
  const [unit, count] = Object.entries(limit)[0] ?? [];
  return new AppError('PAYLOAD_TOO_LARGE', `${what} is larger than ${count} ${unit}.`, {
    details: field === undefined ? { [`limit_${unit}`]: count } : { field, [`limit_${unit}`]: count },
  });
}

export function unsupported(message: string): AppError {
  return new AppError('UNSUPPORTED_MEDIA_TYPE', message, { details: { allowed: [...acceptedTypes] } });
}

export const acceptedTypes = ['multipart/form-data', 'application/x-www-form-urlencoded', 'application/json'] as const;
