/**
 * kill -9 of the embedded database's parent or of the database itself under a write load loses no acknowledged row.
 * Size: kills of each.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { findRunningEmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { cleanUp, query, startInProcess, testFolder } from '../support/embedded-postgres-starter.ts';
import { proofRun } from '../support/proof.ts';
import { eventually } from '../support/workers.ts';

const { size: rounds, isLong } = proofRun({ short: 1, long: 20 });
const writers = 4;
/** The service has to be ready again within this time after any single death. */
const readyLimitMs = 10_000;

for (const victim of ['parent', 'postmaster'] as const) {
  test(`${rounds} times kill -9 of the ${victim} under writes: ready within 10 s, every acknowledged row present`, async (t) => {
    const dataDir = await testFolder(t);
    cleanUp(t, () => endRunning(dataDir));
    const acknowledged: number[] = [];
    const readyMs: number[] = [];
    let next = 0;
    for (let round = 0; round <= rounds; round++) {
      const begunAt = performance.now();
      const starter = await startInProcess(dataDir);
      if (round > 0) readyMs.push(performance.now() - begunAt);
      await query(starter.url, 'create table if not exists entry (number int primary key, filler text not null)');
      const stored = new Set((await query(starter.url, 'select number from entry')).map(({ number }) => number));
      const lost = acknowledged.filter((number) => !stored.has(number));
      assert.deepEqual(lost, [], `lost in round ${round}`);
      if (round === rounds) {
        await query(starter.url, 'create extension if not exists amcheck');
        await query(starter.url, "select bt_index_check('entry_pkey', true)");
        await query(starter.url, "select * from verify_heapam('entry')").then((damage) => assert.deepEqual(damage, []));
        await starter.stop();
        break;
      }
      const load = Promise.all(
        Array.from({ length: writers }, () => writeUntilBroken(starter.url, () => next++, acknowledged)),
      );
      const before = acknowledged.length;
      await eventually(async () => acknowledged.length > before + 10, 'the load is real');
      // Another moment in each round, so that kills fall on different phases of the writes and of the checkpoints.
      await delay(100 + ((round * 37) % 300));
      if (victim === 'parent') {
        await starter.kill();
      } else {
        process.kill(starter.pid, 'SIGKILL');
      }
      await load;
      if (victim === 'postmaster') await starter.kill();
    }
    readyMs.sort((a, b) => a - b);
    const slowestMs = readyMs.at(-1) ?? 0;
    t.diagnostic(
      `${acknowledged.length} acknowledged rows, 0 lost; ready again p50 ${Math.round(readyMs[readyMs.length >> 1] ?? 0)} ms, max ${Math.round(slowestMs)} ms`,
    );
    assert.ok(acknowledged.length > rounds * 10, 'the load was real');
    assert.ok(!isLong || slowestMs <= readyLimitMs, `slowest start ${slowestMs} ms`);
  });
}

async function writeUntilBroken(url: string, nextNumber: () => number, acknowledged: number[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    for (;;) {
      const number = nextNumber();
      await client.query("insert into entry values ($1, repeat('x', 500))", [number]);
      acknowledged.push(number);
    }
  } catch {
    // The kill. A row whose answer never came may or may not be there.
  } finally {
    await client.end().catch(() => {});
  }
}

/** After a failed round something may still run there. */
async function endRunning(dataDir: string): Promise<void> {
  if (!(await findRunningEmbeddedPostgres(dataDir))) return;
  await (await startEmbeddedPostgres({ dataDir, log: () => {} })).stop();
}
