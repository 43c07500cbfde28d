import { S3ServiceException } from '@aws-sdk/client-s3';
import { AppError } from '../../errors.ts';

/** The object is missing. A missing bucket is different: that is a configuration error. */
export function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && (error.name === 'NoSuchKey' || error.name === 'NotFound');
}

/**
 * An S3 error as the rest of the program sees it. The message is public, so it names no bucket and no host; the cause, which
 * does, is for the log.
 */
export function fromS3Error(error: unknown): Error {
  if (error instanceof AppError || error instanceof TypeError) return error;
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  if (status === 416) return new RangeError('the range is outside the object', { cause: error });
  const refused = status === 401 || status === 403;
  const message = refused
    ? 'The object storage refuses our credentials.'
    : 'The object storage cannot answer just now.';
  return new AppError('UNAVAILABLE', message, { retryAfterSeconds: refused ? 60 : 10, cause: error });
}
