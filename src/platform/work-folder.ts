/**
 * Temporary files of this process, in a folder `<host>.<pid>.<random>`: what a killed process left behind can be told
 * from what another one is using.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { answering } from './storage/disk-fault.ts';

export class WorkFolder {
  /** Shared by all processes. */
  readonly root: string;
  /** Of this process alone. */
  readonly path: string;

  constructor(root: string) {
    this.root = root;
    this.path = join(root, `${hostname()}.${process.pid}.${randomUUID()}`);
  }

  /** A folder that lives as long as `use` runs. @throws UNAVAILABLE, and what `use` throws */
  async withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
    const folder = join(this.path, randomUUID());
    try {
      // A disk without space says nothing about the task: it waits, and is not counted as failed.
      await answering(() => mkdir(folder, { recursive: true }));
      return await use(folder);
    } finally {
      await answering(() => rm(folder, { recursive: true, force: true }));
    }
  }

  /** Removes the files of processes on this machine that are gone: a partner's text must not outlive its deletion there. */
  async removeLeftovers(): Promise<void> {
    for (const name of await readdir(this.root).catch(() => [])) {
      const [, host, pid] = /^(.+)\.(\d+)\.[0-9a-f-]{36}$/.exec(name) ?? [];
      const path = join(this.root, name);
      if (host === hostname() && (await isGone(Number(pid), path))) await rm(path, { recursive: true, force: true });
    }
  }

  async close(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
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
