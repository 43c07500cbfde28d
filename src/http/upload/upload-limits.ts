import type { Limits } from '../../limits.ts';

/** The limits of one `POST /tasks` body. The first seven are published at `GET /limits`. */
export interface UploadLimits {
  /** Counted on the raw stream, so it holds for all parts, headers and boundaries together. */
  requestBytes: number;
  /** Of a body in JSON or in urlencoded form, which is parsed in one go. */
  smallBodyBytes: number;
  fileBytes: number;
  parts: number;
  fieldBytes: number;
  glossaryBytes: number;
  /** Code points of the `text` field; its bytes are bounded by `requestBytes`. */
  textCharacters: number;
  partHeaderBytes: number;
  /** From the call to the last byte, including storing the file. */
  bodyTimeoutMs: number;
  /** The longest silence of a client. */
  idleTimeoutMs: number;
  /** The minimum average rate of a client over each `rateWindowMs` spent waiting for it. */
  minimumBytesPerSecond: number;
  rateWindowMs: number;
  /** After an error: how much more we read and discard, and how long the client may take to read our answer. */
  lingerBytes: number;
  lingerMs: number;
}

const KiB = 1024;
const MiB = 1024 * KiB;

export const defaultUploadLimits: Readonly<UploadLimits> = {
  requestBytes: 52 * MiB,
  smallBodyBytes: 2 * MiB,
  fileBytes: 50 * MiB,
  parts: 20,
  fieldBytes: 64 * KiB,
  glossaryBytes: 1 * MiB,
  textCharacters: 20_000_000,
  // Browsers and HTTP clients send about 200 bytes; a name of 255 four-byte characters, percent-encoded, takes 3 KiB.
  partHeaderBytes: 8 * KiB,
  bodyTimeoutMs: 10 * 60_000,
  idleTimeoutMs: 20_000,
  minimumBytesPerSecond: 1 * KiB,
  rateWindowMs: 30_000,
  lingerBytes: 1 * MiB,
  lingerMs: 2_000,
};

/** The published limits in the form that the reader uses. */
export function uploadLimits(limits: Limits): UploadLimits {
  return {
    ...defaultUploadLimits,
    requestBytes: limits.maxRequestBytes,
    smallBodyBytes: limits.maxJsonRequestBytes,
    fileBytes: limits.maxFileBytes,
    parts: limits.maxParts,
    fieldBytes: limits.maxFieldBytes,
    glossaryBytes: limits.maxGlossaryBytes,
    textCharacters: limits.maxTextCharacters,
  };
}
