import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a condition by looking again and again; returns how long it took. */
export async function eventually(reached: () => Promise<boolean>, timeoutMs: number, what: string): Promise<number> {
  const started = performance.now();
  while (!(await reached())) {
    assert.ok(performance.now() - started < timeoutMs, `${what} not within ${timeoutMs} ms`);
    await sleep(50);
  }
  return Math.round(performance.now() - started);
}
