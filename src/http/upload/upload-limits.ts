import { AppError, badField } from '../../errors.ts';
import type { Limits } from '../../limits.ts';

const KiB = 1024;

/** From the call to the last byte, including storing the file. */
export const bodyTimeoutMs = 290_000;

/** What is not published at `GET /limits`. */
const fixedLimits = {
  /** Browsers and HTTP clients send about 200 bytes; a name of 255 four-byte characters, percent-encoded, takes 3 KiB. */
  partHeaderBytes: 8 * KiB,
  bodyTimeoutMs,
  /** The longest silence of a client. */
  idleTimeoutMs: 20_000,
  /** The minimum average rate of a client over each `rateWindowMs` spent waiting for it. */
  minimumBytesPerSecond: 1 * KiB,
  rateWindowMs: 30_000,
  /** After an error: how much more we read and discard, and how long the client may take to read our answer. */
  lingerBytes: 1024 * KiB,
  lingerMs: 2_000,
};

export type UploadLimits = ReturnType<typeof uploadLimits>;

/** The limits of one `POST /tasks` body, in the form that the reader uses. */
export function uploadLimits(limits: Readonly<Limits>) {
  return {
    ...fixedLimits,
    /** Counted on the raw stream, so it holds for all parts, headers and boundaries together. */
    requestBytes: limits.maxRequestBytes,
    /** Of a body in JSON or in urlencoded form, which is parsed in one go. */
    smallBodyBytes: limits.maxJsonRequestBytes,
    fileBytes: limits.maxFileBytes,
    parts: limits.maxParts,
    fieldBytes: limits.maxFieldBytes,
    glossaryBytes: limits.maxGlossaryBytes,
    /** Code points of the `text` field; its bytes are bounded by `requestBytes`. */
    textCharacters: limits.maxTextCharacters,
  };
}

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
