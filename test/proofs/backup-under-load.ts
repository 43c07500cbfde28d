/**
 * Backups that are taken while partners create, cancel and delete restore into an empty folder with nothing lost and
 * every output exact. Size: backups.
 */
import { strict as assert } from 'node:assert';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findRunningEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { FileStorage } from '../../src/platform/storage/file-storage.ts';
import { assertBooksBalance } from '../support/audit.ts';
import { type Acknowledged, Load, proveRestored } from '../support/backup-proof.ts';
import { query } from '../support/embedded-postgres-starter.ts';
import { proofRun } from '../support/proof.ts';
import { startServe, toledo, toledoProcess } from '../support/toledo-process.ts';
import { eventually } from '../support/workers.ts';

const { size: rounds, isLong } = proofRun({ short: 1, long: 3 });
/** The bar: an empty machine is back within 5 minutes. */
const restoreLimitMs = 300_000;

test(`${rounds} backups under load, each restored into an empty folder: nothing lost, every output exact, ready within 5 min`, async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'toledo-backup-load-'));
  const dataDir = join(folder, 'data');
  const env = { TOLEDO_DATA_DIR: dataDir, TOLEDO_PORT: '0', TOLEDO_LOG_LEVEL: 'error' };
  const serve = await startServe(env);
  try {
    const created = await toledo(
      ['account', 'create', 'Load', '--credits', '1000000000', '--rate-limit', '100000', '--json'],
      env,
    );
    const key = JSON.parse(created.stdout).api_key;
    const options = isLong
      ? { partners: 3, characters: [400, 3_000, 12_000, 1_500], slowEvery: 4, pauseMs: 300 }
      : { partners: 2, characters: [400, 900], slowEvery: 12, pauseMs: 120 };
    const load = new Load({ rootUrl: serve.rootUrl, key, env }, options);
    const taken: { path: string; before: Acknowledged[]; tookMs: number }[] = [];
    try {
      for (let round = 0; round < rounds; round++) {
        if (isLong) await sleep(6_000);
        else await eventually(async () => load.acknowledged.length >= 14, 'a load');
        const before = [...load.acknowledged];
        const path = join(folder, `backup-${round}`);
        const started = performance.now();
        const { code, stderr } = await toledoProcess(['backup', path], env);
        assert.deepEqual([code, stderr], [0, '']);
        taken.push({ path, before, tookMs: Math.round(performance.now() - started) });
        assert.ok(!isLong || load.acknowledged.length > before.length, 'the service went on creating tasks');
      }
    } finally {
      await load.stop();
    }
    const databaseUrl = (await findRunningEmbeddedPostgres(dataDir))?.url as string;
    const original = { databaseUrl, storage: await FileStorage.open(join(dataDir, 'files')) };
    const pending = async () =>
      (await query(databaseUrl, "select count(*)::int as n from tasks where status = 'pending'"))[0]?.n;
    await eventually(async () => (await pending()) === 0, 'the end of the load');
    for (const { path, before, tookMs } of taken) {
      const figures = await proveRestored(path, { dataDir: join(folder, 'restored'), key, before, original });
      context.diagnostic(`backup in ${tookMs} ms with ${before.length} acknowledged: ${JSON.stringify(figures)}`);
      assert.ok(!isLong || figures.restoreMs <= restoreLimitMs);
      assert.ok(figures.unfinished > 0, 'some tasks were caught in the middle');
    }
    await assertBooksBalance(databaseUrl);
  } finally {
    serve.child.kill('SIGTERM');
    await serve.exited;
    await rm(folder, { recursive: true, force: true });
  }
});
