/**
 * Where sources and outputs live. One small interface, two places behind it: a directory (`FileStorage`) and
 * an S3 bucket (`S3Storage`). One conformance suite holds both to the same behaviour.
 *
 * Errors: `StorageMissing` when an object is absent, `AppError` UNAVAILABLE when the storage cannot answer at the
 * moment (disk full, network, 5xx). `RangeError` means a range outside the object, `TypeError` an ill-formed key.
 * Errors of the body of a `put` and the reason of an aborted signal are passed on unchanged.
 */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

export interface Storage {
  /** Streams in while hashing; the object becomes visible only when complete. An older object is replaced at once. */
  put(key: string, body: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<StoredObject>;
  /** `body` has to be read to its end or destroyed; `sizeBytes` is the whole object's size, also for a range. */
  get(key: string, options?: GetOptions): Promise<{ body: Readable; sizeBytes: number }>;
  head(key: string): Promise<{ sizeBytes: number } | undefined>;
  /** Deleting a missing object succeeds. */
  delete(key: string): Promise<void>;
  /** All keys, in no particular order. */
  list(): AsyncIterable<string>;
  /** Removes old half-written files of killed writers, where the storage does not do that itself. */
  sweepLeftovers?(now?: Date): Promise<number>;
  /** A URL from which a partner can fetch the object without an API key. Only where the storage itself can serve it. */
  presign?(key: string, options: PresignOptions): Promise<string>;
  /** Cheap proof that the storage accepts objects, for readiness and `npx toledo doctor`. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface StoredObject {
  key: string;
  sizeBytes: number;
  /** Lower-case hexadecimal, of the bytes as they passed through. */
  sha256: string;
}

export interface PutOptions {
  mediaType?: string;
  signal?: AbortSignal;
}

export interface GetOptions {
  /** Inclusive byte offsets; an end past the last byte means the last byte. */
  range?: { start: number; end: number };
  signal?: AbortSignal;
}

export interface PresignOptions {
  expiresInSeconds: number;
  fileName: string;
  mediaType: string;
}

export class StorageMissing extends Error {
  override readonly name = 'StorageMissing';
  readonly key: string;

  constructor(key: string, options?: ErrorOptions) {
    super(`no stored object ${key}`, options);
    this.key = key;
  }
}

/**
 * Keys are made by us, never by a partner. No dot can occur, so neither `..` nor a hidden file can. A limit of 240
 * characters leaves room for what `FileStorage` adds within the 255 bytes a file name may have.
 */
export function assertStorageKey(key: string): void {
  if (!/^[a-z0-9_-]+(\/[a-z0-9_-]+)*$/.test(key) || key.length > 240)
    throw new TypeError(`ill-formed storage key: ${JSON.stringify(key.slice(0, 300))}`);
}

export function assertRange(range: { start: number; end: number }, sizeBytes: number): void {
  const { start, end } = range;
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start || start >= sizeBytes)
    throw new RangeError(`bytes ${start}-${end} are outside an object of ${sizeBytes} bytes`);
}

/**
 * Reads an object back and checks that it is unchanged. A task is completed only after this: a
 * partner must never be charged for an output that cannot be read. Throws StorageMissing, UNAVAILABLE.
 */
export async function verifyStored(
  storage: Storage,
  expected: { key: string; sha256: string },
  options: { signal?: AbortSignal } = {},
): Promise<boolean> {
  const { body } = await storage.get(expected.key, options);
  const hash = createHash('sha256');
  for await (const chunk of body) hash.update(chunk);
  return hash.digest('hex') === expected.sha256;
}
