/** An application without a worker, and real worker processes beside it. */
import { strict as assert } from 'node:assert';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { patienceMs } from './patience.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { type ServeProcess, startWorkerProcess } from './toledo-process.ts';

export interface Workshop {
  app: TestApp;
  startWorker(env?: Record<string, string>): Promise<ServeProcess>;
  /** How often the task was taken, and its unexpected errors. */
  attempts(taskId: string): Promise<{ attempt: number; faults: number; progress: number }>;
}

export async function openWorkshop(): Promise<Workshop> {
  const running = new Set<ServeProcess>();
  after(async () => {
    await Promise.all(
      [...running].map(async (worker) => {
        worker.child.kill('SIGKILL');
        await worker.exited;
      }),
    );
  });
  const app = await startTestApp({ own: true, role: 'api' });
  return {
    app,
    async startWorker(env = {}) {
      const worker = await startWorkerProcess({
        TOLEDO_DATA_DIR: app.dataDir,
        TOLEDO_DATABASE_URL: app.databaseUrl,
        TOLEDO_PORT: '0',
        ...env,
      });
      running.add(worker);
      void worker.exited.then(() => running.delete(worker));
      return worker;
    },
    async attempts(taskId) {
      const { rows } = await app.application.database.pool.query(
        'select attempt, faults, progress from tasks where id = $1',
        [taskId],
      );
      return rows[0];
    },
  };
}

/** Polls a condition until it holds; returns how long that took. */
export async function eventually(reached: () => Promise<boolean>, what: string, limitMs = patienceMs): Promise<number> {
  const started = performance.now();
  while (!(await reached())) {
    assert.ok(performance.now() - started < limitMs, `${what} not within ${limitMs} ms`);
    await sleep(50);
  }
  return Math.round(performance.now() - started);
}

/** For proofs of a promised time. */
export async function within(reached: () => Promise<boolean>, limitMs: number, what: string): Promise<number> {
  const waitedMs = await eventually(reached, what, limitMs);
  assert.ok(waitedMs <= limitMs, `${what} after ${waitedMs} ms`);
  return waitedMs;
}
