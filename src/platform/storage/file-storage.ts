import { createHash, randomUUID } from 'node:crypto';
import { constants, type FileHandle, mkdir, open, opendir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../sync-folder.ts';
import { answering, errorCode } from './disk-fault.ts';
import { hashingBody } from './hashing-body.ts';
import {
  assertRange,
  assertStorageKey,
  type GetOptions,
  type PutOptions,
  type Storage,
  StorageMissing,
  type StoredObject,
} from './storage.ts';

const leftoverAgeMs = 60 * 60_000;

/**
 * Objects as files:
 *
 *     <root>/objects/<2 hex digits of SHA-256(key)>/<key with dots for slashes>
 *     <root>/incoming/<uuid>                            while being written
 *
 * A key has no dots, so dots for slashes is reversible and no key can leave its folder. Also `a` and `a/b` never want
 * the same name as file and as folder. 256 folders keep each at about 20,000 entries for five million objects.
 *
 * A write is: temporary file, fsync, rename, fsync of the folder. After `put` returns, the object survives a
 * power cut; before that it is invisible. Several processes may share one root.
 */
export class FileStorage implements Storage {
  readonly #objects: string;
  readonly #incoming: string;

  private constructor(root: string) {
    this.#objects = join(root, 'objects');
    this.#incoming = join(root, 'incoming');
  }

  /** Makes the folders and removes what crashed writes left behind. Throws UNAVAILABLE. */
  static async open(root: string): Promise<FileStorage> {
    const storage = new FileStorage(root);
    await answering(async () => {
      await mkdir(storage.#objects, { recursive: true });
      await mkdir(storage.#incoming, { recursive: true });
      await syncFolder(root);
      await storage.sweepLeftovers();
    });
    return storage;
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<StoredObject> {
    assertStorageKey(key);
    const temporary = join(this.#incoming, randomUUID());
    const hashing = hashingBody(body, options.signal);
    try {
      return await answering(async () => {
        await writeFile(temporary, hashing.chunks, { flag: 'wx', mode: 0o600, flush: true });
        options.signal?.throwIfAborted();
        await this.#publish(temporary, key);
        return { key, ...hashing.result() };
      });
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      if (hashing.failed()) throw hashing.failure();
      if (options.signal?.aborted) throw options.signal.reason;
      throw error;
    }
  }

  async get(key: string, options: GetOptions = {}) {
    assertStorageKey(key);
    options.signal?.throwIfAborted();
    return await answering(async () => {
      const file = await this.#open(key);
      try {
        const sizeBytes = (await file.stat()).size;
        if (options.range) assertRange(options.range, sizeBytes);
        const body = file.createReadStream({ ...options.range, signal: options.signal });
        return { body, sizeBytes };
      } catch (error) {
        await file.close();
        throw error;
      }
    });
  }

  async head(key: string): Promise<{ sizeBytes: number } | undefined> {
    assertStorageKey(key);
    const found = await answering(() => stat(this.#path(key)).catch(unlessMissing));
    return found && { sizeBytes: found.size };
  }

  async delete(key: string): Promise<void> {
    assertStorageKey(key);
    await answering(async () => {
      await rm(this.#path(key), { force: true });
      // A deletion is durable: text that a partner purged must not come back after a power cut.
      await syncFolder(this.#folder(key)).catch(unlessMissing);
    });
  }

  async *list(): AsyncGenerator<string, void, undefined> {
    for await (const folder of entries(this.#objects)) {
      for await (const name of entries(join(this.#objects, folder))) yield name.replaceAll('.', '/');
    }
  }

  /** Writes and removes a few bytes: a full or read-only disk fails here and not in the middle of a novel. */
  async check(): Promise<void> {
    const probe = join(this.#incoming, randomUUID());
    await answering(async () => {
      try {
        await writeFile(probe, 'toledo', { flag: 'wx', mode: 0o600 });
      } finally {
        await rm(probe, { force: true });
      }
    });
  }

  /**
   * Removes temporary files that were not written to for an hour. A running write, in any process, touches its file at
   * least every few seconds (the upload reader's idle limit is 20 s).
   */
  async sweepLeftovers(now = new Date()): Promise<number> {
    let removed = 0;
    for await (const name of entries(this.#incoming)) {
      const path = join(this.#incoming, name);
      const entry = await stat(path).catch(() => undefined);
      if (!entry || now.getTime() - entry.mtimeMs < leftoverAgeMs) continue;
      await rm(path, { force: true });
      removed += 1;
    }
    return removed;
  }

  async close(): Promise<void> {}

  async #publish(temporary: string, key: string): Promise<void> {
    const folder = this.#folder(key);
    const made = await mkdir(folder, { recursive: true });
    if (made) await syncFolder(this.#objects);
    await rename(temporary, this.#path(key));
    await syncFolder(folder);
  }

  async #open(key: string): Promise<FileHandle> {
    try {
      // Only a person can have put a symbolic link there: do not follow it out of the root.
      return await open(this.#path(key), constants.O_RDONLY | constants.O_NOFOLLOW);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') throw new StorageMissing(key, { cause: error });
      throw error;
    }
  }

  #folder(key: string): string {
    return join(this.#objects, createHash('sha256').update(key).digest('hex').slice(0, 2));
  }

  #path(key: string): string {
    return join(this.#folder(key), key.replaceAll('/', '.'));
  }
}

function unlessMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}

async function* entries(path: string): AsyncGenerator<string, void, undefined> {
  try {
    for await (const entry of await opendir(path)) yield entry.name;
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  }
}
