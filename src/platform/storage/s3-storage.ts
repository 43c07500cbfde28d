import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { AppError } from '../../errors.ts';
import { contentDisposition } from './content-disposition.ts';
import { hashingBody } from './hashing-body.ts';
import {
  assertRange,
  assertStorageKey,
  type GetOptions,
  type PresignOptions,
  type PutOptions,
  type Storage,
  StorageMissing,
  type StoredObject,
} from './storage.ts';
import type { S3Url } from './storage-url.ts';

/** Parts of 5 MiB (S3's minimum), two at a time: the memory of a put does not grow with its body. */
const partSizeBytes = 5 * 1024 * 1024;
const partsInFlight = 2;

/** Objects in a bucket of Amazon S3 or any server that speaks its protocol; proven on Ceph's radosgw. */
export class S3Storage implements Storage {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  /** @param credentials unset: the usual AWS variables, files and instance roles */
  constructor(url: S3Url, credentials?: S3ClientConfig['credentials']) {
    this.#bucket = url.bucket;
    this.#prefix = url.prefix;
    this.#client = new S3Client({
      endpoint: url.endpoint,
      region: url.region,
      // Bucket names as host names need wildcard DNS, which servers other than Amazon's rarely have.
      forcePathStyle: url.endpoint !== undefined,
      credentials,
      // The SDK's default checksums are unknown to older servers: radosgw 16 passed 16 of 20 checks with them
      // and 20 of 20 without. Our own SHA-256 covers the whole object.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // The second is how long the server may stay silent in the middle of an exchange.
      requestHandler: { connectionTimeout: 5_000, socketTimeout: 30_000 },
    });
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<StoredObject> {
    const hashing = hashingBody(body, options.signal);
    const upload = new Upload({
      client: this.#client,
      params: {
        ...this.#object(key),
        Body: Readable.from(hashing.chunks, { objectMode: false }),
        ContentType: options.mediaType,
      },
      partSize: partSizeBytes,
      queueSize: partsInFlight,
    });
    try {
      // The signal ends the body, not the upload, so we wait for the running parts and then remove them.
      await upload.done();
    } catch (error) {
      await this.#abandon(upload, key);
      if (hashing.failed()) throw hashing.failure();
      throw fromS3Error(error);
    }
    return { key, ...hashing.result() };
  }

  async get(key: string, options: GetOptions = {}) {
    const { range, signal } = options;
    signal?.throwIfAborted();
    if (range) assertRange(range, Number.POSITIVE_INFINITY);
    try {
      const answer = await this.#client.send(
        new GetObjectCommand({ ...this.#object(key), Range: range && `bytes=${range.start}-${range.end}` }),
        { abortSignal: signal },
      );
      if (!(answer.Body instanceof Readable)) throw new Error('the object has no readable body');
      const whole = answer.ContentRange?.split('/')[1];
      return {
        body: Readable.from(faultsMapped(answer.Body), { objectMode: false, signal }),
        sizeBytes: Number(whole ?? answer.ContentLength ?? 0),
      };
    } catch (error) {
      signal?.throwIfAborted();
      if (isMissing(error)) throw new StorageMissing(key, { cause: error });
      throw fromS3Error(error);
    }
  }

  async head(key: string): Promise<{ sizeBytes: number } | undefined> {
    try {
      const answer = await this.#client.send(new HeadObjectCommand(this.#object(key)));
      return { sizeBytes: answer.ContentLength ?? 0 };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw fromS3Error(error);
    }
  }

  async delete(key: string): Promise<void> {
    try {
      await this.#client.send(new DeleteObjectCommand(this.#object(key)));
    } catch (error) {
      if (!isMissing(error)) throw fromS3Error(error);
    }
  }

  async *list(): AsyncGenerator<string, void, undefined> {
    let after: string | undefined;
    do {
      const wanted = { Bucket: this.#bucket, Prefix: this.#prefix, ContinuationToken: after };
      const page = await this.#client.send(new ListObjectsV2Command(wanted)).catch(rethrow);
      for (const { Key } of page.Contents ?? []) if (Key) yield Key.slice(this.#prefix.length);
      after = page.NextContinuationToken;
    } while (after !== undefined);
  }

  async presign(key: string, options: PresignOptions): Promise<string> {
    const command = new GetObjectCommand({
      ...this.#object(key),
      ResponseContentDisposition: contentDisposition(options.fileName),
      ResponseContentType: options.mediaType,
    });
    return await getSignedUrl(this.#client, command, { expiresIn: options.expiresInSeconds });
  }

  async check(): Promise<void> {
    await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket })).catch(rethrow);
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  #object(key: string) {
    assertStorageKey(key);
    return { Bucket: this.#bucket, Key: this.#prefix + key };
  }

  /** `Upload` removes its parts when a part fails, but not when the completion does; twice does no harm. */
  async #abandon(upload: Upload, key: string): Promise<void> {
    if (upload.uploadId === undefined) return;
    const command = new AbortMultipartUploadCommand({ ...this.#object(key), UploadId: upload.uploadId });
    await this.#client.send(command).catch(() => {});
  }
}

async function* faultsMapped(body: Readable): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    rethrow(error);
  }
}

/** The object is missing. A missing bucket is different: that is a configuration error. */
function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && (error.name === 'NoSuchKey' || error.name === 'NotFound');
}

/**
 * An S3 error as the rest of the program sees it. The message is public, so it names no bucket and no host; the cause, which
 * does, is for the log.
 */
function fromS3Error(error: unknown): Error {
  if (error instanceof AppError || error instanceof TypeError) return error;
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  if (status === 416) return new RangeError('the range is outside the object', { cause: error });
  const refused = status === 401 || status === 403;
  const message = refused
    ? 'The object storage refuses our credentials.'
    : 'The object storage cannot answer just now.';
  return new AppError('UNAVAILABLE', message, { retryAfterSeconds: refused ? 60 : 10, cause: error });
}

function rethrow(error: unknown): never {
  throw fromS3Error(error);
}
