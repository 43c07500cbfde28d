/**
 * The files of a backup. It is written under another name and renamed when every byte is on the disk, so that whatever
 * carries its name is whole.
 */
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { hashingBody } from '../platform/storage/hashing-body.ts';
import { syncFolder } from '../platform/sync-folder.ts';
import { BackupFault, checksumsName } from './manifest.ts';

export class BackupFolder {
  readonly path: string;
  readonly #draft: string;
  readonly #written = new Map<string, { sha256: string; sizeBytes: number }>();

  private constructor(path: string, draft: string) {
    this.path = path;
    this.#draft = draft;
  }

  /** @throws BackupFault when the name is taken or cannot be made */
  static async create(path: string): Promise<BackupFolder> {
    const target = resolve(path);
    const existing = await stat(target).catch(() => undefined);
    if (existing) throw new BackupFault(`${target} exists already; give the name of a folder that does not.`);
    try {
      // The folder around it is not made: a mistyped path, or a disk that is not mounted, must not go unnoticed.
      // The draft that mkdtemp makes is 0700: it holds partners' texts and perhaps the secret.
      return new BackupFolder(target, await mkdtemp(join(dirname(target), `${basename(target)}.partial-`)));
    } catch (cause) {
      const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
      const why = missing ? 'does not exist' : `cannot be written to (${(cause as Error).message})`;
      throw new BackupFault(`${dirname(target)} ${why}; nothing was backed up.`, { cause });
    }
  }

  /** A file from a stream, safe on the disk when this returns. */
  async write(name: string, body: AsyncIterable<Uint8Array>, signal: AbortSignal) {
    const path = join(this.#draft, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const hashing = hashingBody(body, signal);
    await pipeline(hashing.chunks, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }), { signal });
    const written = hashing.result();
    this.#written.set(name, written);
    return written;
  }

  async writeText(name: string, text: string, signal: AbortSignal): Promise<void> {
    await this.write(
      name,
      (async function* () {
        yield Buffer.from(text);
      })(),
      signal,
    );
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.#draft, name), { force: true });
    this.#written.delete(name);
  }

  /** Bytes of the files below a folder of the backup. */
  totals(folder: string): { count: number; sizeBytes: number } {
    const names = [...this.#written].filter(([name]) => name.startsWith(`${folder}/`));
    return { count: names.length, sizeBytes: names.reduce((sum, [, file]) => sum + file.sizeBytes, 0) };
  }

  /** @throws BackupFault when the name was taken in the meantime */
  async publish(signal: AbortSignal): Promise<void> {
    const names = [...this.#written.keys()].sort();
    const lines = names.map((name) => `${this.#written.get(name)?.sha256}  ${name}\n`);
    await this.writeText(checksumsName, lines.join(''), signal);
    for (const entry of await readdir(this.#draft, { recursive: true, withFileTypes: true })) {
      if (entry.isDirectory()) await syncFolder(join(entry.parentPath, entry.name));
    }
    await syncFolder(this.#draft);
    signal.throwIfAborted();
    try {
      await rename(this.#draft, this.path);
    } catch (cause) {
      throw new BackupFault(`${this.path} was made by somebody else meanwhile; nothing was put there.`, { cause });
    }
    await syncFolder(dirname(this.path));
  }

  /** Takes everything away that was not published. */
  async discard(): Promise<void> {
    await rm(this.#draft, { recursive: true, force: true });
  }
}
