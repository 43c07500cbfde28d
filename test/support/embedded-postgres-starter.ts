import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

export interface Starter {
  process: ChildProcess;
  url: string;
  pid: number;
  adopted: boolean;
  /** kill -9, and wait until the process is gone. */
  kill(): Promise<void>;
  /** Lets it stop() its database and end. */
  stop(): Promise<void>;
}

/** Starts the database of `dataDir` from another process. */
export async function startInProcess(dataDir: string, outlives = false): Promise<Starter> {
  const child = spawnStarter(dataDir, outlives);
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    return {
      process: child,
      ...(JSON.parse(line) as { url: string; pid: number; adopted: boolean }),
      kill: () => endBy(child, () => child.kill('SIGKILL')),
      stop: () => endBy(child, () => child.stdin?.write('stop\n')),
    };
  }
  throw new Error('the database did not start in the other process');
}

export function spawnStarter(dataDir: string, outlives = false): ChildProcess {
  const script = fileURLToPath(new URL('./embedded-postgres-process.ts', import.meta.url));
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, dataDir, String(outlives)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

async function endBy(child: ChildProcess, action: () => unknown): Promise<void> {
  const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
  action();
  await exited;
}

const cleanUps = new WeakMap<TestContext, (() => unknown)[]>();

/** Runs `action` after the test, the latest first: a database stops before its folder goes. */
export function cleanUp(t: TestContext, action: () => unknown): void {
  const actions = cleanUps.get(t);
  if (actions) {
    actions.unshift(action);
    return;
  }
  const list = [action];
  cleanUps.set(t, list);
  t.after(async () => {
    for (const next of list) await next();
  });
}

/** A folder for one test, removed after it. 0755, so that another account can enter it. */
export async function testFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'toledo-embedded-'));
  cleanUp(t, () => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await chmod(folder, 0o755);
  return folder;
}

export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Whether a process runs; one that only waits for its parent to collect it does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

export async function waitFor(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited 10 s in vain for: ${what}`);
    await delay(5);
  }
}
