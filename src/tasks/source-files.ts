/**
 * A stored source as the document readers want it: a local file, in a bounded child, so that a hostile file harms only
 * itself. The local copy lives as long as one piece of work, in a folder of this process: `<host>.<pid>.<random>`, so
 * that what a killed process left behind can be told from what another one is using.
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { SourceCount, SourceFile } from '../documents/source-jobs.ts';
import type { Limits } from '../limits.ts';
import type { BoundedChildren } from '../platform/bounded-child.ts';
import { answering } from '../platform/storage/disk-fault.ts';
import type { Storage } from '../platform/storage/storage.ts';

export const sourceJobsModule = new URL('../documents/source-jobs.ts', import.meta.url);

/** 20 MB of wrapped text were read in 1.4 s, and in 8 s on a very busy machine; many times that is certainly not a novel. */
const readTimeoutMs = 60_000;
/** Children are kept warm at exactly this size: one of another size would be started cold for every file. */
export const readMemoryMb = 2_048;

export class SourceFiles {
  readonly #storage: Storage;
  readonly #children: BoundedChildren;
  readonly #tempDir: string;
  readonly #ownDir: string;
  readonly #limits: Limits;

  constructor(options: { storage: Storage; children: BoundedChildren; tempDir: string; limits: Limits }) {
    this.#storage = options.storage;
    this.#children = options.children;
    this.#tempDir = options.tempDir;
    this.#ownDir = join(options.tempDir, `${hostname()}.${process.pid}.${randomUUID()}`);
    this.#limits = options.limits;
  }

  /** @throws BAD_REQUEST with a stable reason, PAYLOAD_TOO_LARGE, UNAVAILABLE */
  async count(
    key: string,
    options: { fileName: string; charLimit: number | undefined; owner: string },
  ): Promise<SourceCount> {
    return await this.withSource(key, options, (source) =>
      this.#children.run<SourceCount>(sourceJobsModule, 'countSource', source, {
        timeoutMs: readTimeoutMs,
        memoryMb: readMemoryMb,
        owner: options.owner,
      }),
    );
  }

  /** Brings the source to a local file for as long as `use` runs. @throws UNAVAILABLE, and what `use` throws */
  async withSource<T>(
    key: string,
    options: { fileName: string; charLimit: number | undefined; signal?: AbortSignal },
    use: (source: SourceFile) => Promise<T>,
  ): Promise<T> {
    const path = join(this.#ownDir, `source-${randomUUID()}`);
    try {
      // A disk without space says nothing about the task: it waits, and is not counted as failed.
      await answering(async () => {
        await mkdir(this.#ownDir, { recursive: true });
        const { body } = await this.#storage.get(key, options.signal ? { signal: options.signal } : {});
        await pipeline(body, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
      });
      return await use({
        path,
        fileName: options.fileName,
        charLimit: options.charLimit,
        maxCharacters: this.#limits.maxTextCharacters,
      });
    } finally {
      await answering(() => rm(path, { force: true }));
    }
  }

  /** Removes the copies of processes on this machine that are gone: a partner's text must not outlive its deletion there. */
  async removeLeftovers(): Promise<void> {
    for (const name of await readdir(this.#tempDir).catch(() => [])) {
      const [, host, pid] = /^(.+)\.(\d+)\.[0-9a-f-]{36}$/.exec(name) ?? [];
      const path = join(this.#tempDir, name);
      if (host === hostname() && (await isGone(Number(pid), path))) await rm(path, { recursive: true, force: true });
    }
  }

  async close(): Promise<void> {
    await rm(this.#ownDir, { recursive: true, force: true });
  }

  /** Runs one function of `documents/source-jobs.ts` (or of another module) on plain data. */
  async run<T>(
    functionName: string,
    argument: unknown,
    signal?: AbortSignal,
    module: URL = sourceJobsModule,
  ): Promise<T> {
    return await this.#children.run<T>(module, functionName, argument, {
      timeoutMs: readTimeoutMs,
      memoryMb: readMemoryMb,
      ...(signal ? { signal } : {}),
    });
  }
}

/** In a container every process may have our own number: then it is gone when its folder is older than we are. */
async function isGone(pid: number, path: string): Promise<boolean> {
  if (pid === process.pid) {
    const startedAtMs = Date.now() - process.uptime() * 1000;
    return ((await stat(path).catch(() => undefined))?.birthtimeMs ?? startedAtMs) < startedAtMs;
  }
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === 'ESRCH';
  }
}
