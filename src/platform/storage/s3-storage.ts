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
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { contentDisposition } from './content-disposition.ts';
import { hashingBody } from './hashing-body.ts';
import { fromS3Error, isMissing } from './s3-errors.ts';
import {
  assertRange,
  assertStorageKey,
  assertStoragePrefix,
  type GetOptions,
  type PresignOptions,
  type PutOptions,
  type Storage,
  StorageMissing,
  type StoredObject,
} from './storage.ts';
import type { S3Url } from './storage-url.ts';

export interface S3StorageOptions {
  /** Unset: the usual AWS variables, files and instance roles. */
  credentials?: S3ClientConfig['credentials'];
  connectTimeoutMs?: number;
  /** How long the server may stay silent in the middle of an exchange. */
  silenceTimeoutMs?: number;
}

/** Parts of 5 MiB (S3's minimum), two at a time: the memory of a put does not grow with its body. */
const partSizeBytes = 5 * 1024 * 1024;
const partsInFlight = 2;

/** Objects in a bucket of Amazon S3 or any server that speaks its protocol; proven on Ceph's radosgw. */
export class S3Storage implements Storage {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor(url: S3Url, options: S3StorageOptions = {}) {
    this.#bucket = url.bucket;
    this.#prefix = url.prefix;
    this.#client = new S3Client({
      endpoint: url.endpoint,
      region: url.region,
      // Bucket names as host names need wildcard DNS, which servers other than Amazon's rarely have.
      forcePathStyle: url.endpoint !== undefined,
      credentials: options.credentials,
      // The SDK's default checksums are unknown to older servers: radosgw 16 passed 16 of 20 checks with them
      // and 20 of 20 without. Our own SHA-256 covers the whole object.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: options.connectTimeoutMs ?? 5_000,
        socketTimeout: options.silenceTimeoutMs ?? 30_000,
      },
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

  async *list(prefix: string): AsyncGenerator<{ key: string; modifiedAt: Date }, void, undefined> {
    assertStoragePrefix(prefix);
    let after: string | undefined;
    do {
      const page = await this.#page(prefix, after);
      for (const { Key, LastModified } of page.Contents ?? []) {
        if (Key && LastModified) yield { key: Key.slice(this.#prefix.length), modifiedAt: LastModified };
      }
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
    try {
      await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }));
    } catch (error) {
      throw fromS3Error(error);
    }
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  #object(key: string) {
    assertStorageKey(key);
    return { Bucket: this.#bucket, Key: this.#prefix + key };
  }

  async #page(prefix: string, after: string | undefined) {
    try {
      return await this.#client.send(
        new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: this.#prefix + prefix, ContinuationToken: after }),
      );
    } catch (error) {
      throw fromS3Error(error);
    }
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
    throw fromS3Error(error);
  }
}
