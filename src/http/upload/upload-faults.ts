import { AppError, badField } from '../../errors.ts';

export function fileNeedsMultipart(): AppError {
  return badField('FILE_NEEDS_MULTIPART', 'A file can be sent as multipart/form-data only.', 'file');
}

export function tooLarge(what: string, limit: { bytes: number } | { characters: number }, field?: string): AppError {
  const [unit, count] = Object.entries(limit)[0] ?? [];
  return new AppError('PAYLOAD_TOO_LARGE', `${what} is larger than ${count} ${unit}.`, {
    details: field === undefined ? { [`limit_${unit}`]: count } : { field, [`limit_${unit}`]: count },
  });
}

/** A JSON or urlencoded body that is longer than such a body may be. */
export function smallBodyTooLarge(limitBytes: number): AppError {
  return new AppError(
    'PAYLOAD_TOO_LARGE',
    `A JSON or urlencoded body is at most ${limitBytes} bytes long; send a longer text as multipart/form-data, in a file part or in the part "text".`,
    { details: { limit_bytes: limitBytes } },
  );
}

export function unsupported(message: string): AppError {
  return new AppError('UNSUPPORTED_MEDIA_TYPE', message, { details: { allowed: acceptedTypes } });
}

const acceptedTypes = ['multipart/form-data', 'application/x-www-form-urlencoded', 'application/json'];
