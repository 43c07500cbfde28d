/** A long book is read when it is counted. What was read goes to the worker, and nothing of it stays behind. */
import { strict as assert } from 'node:assert';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { packEpub } from '../../bench/pack-epub.ts';
import { createLog } from '../../src/platform/log.ts';
import { FileStorage } from '../../src/platform/storage/file-storage.ts';
import { discardReading, fetchReading, leaveReading, readingKeyOf } from '../../src/tasks/kept-readings.ts';
import { noteSource } from '../../src/tasks/object-store.ts';
import { sweep } from '../../src/tasks/sweeper.ts';
import { placesOf } from '../support/stored.ts';
import { assertError, create, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { makeNovel } from '../translation/novel.ts';

const app = await startTestApp({ own: true, role: 'api' });
const canary = 'Wexcombelle';
const chapters = makeNovel(60_000).sections.map(
  ({ blocks }) => `<p>${canary} was late.</p>${blocks.map(({ text }) => `<p>${text}</p>`).join('')}`,
);
const file = { content: Buffer.from(packEpub(chapters)), fileName: 'novel.epub' };
const fields = { action: 'translation', source_lang: 'en', target_lang: 'de', estimated_chars: 200_000 };

async function readings({ application }: Pick<typeof app, 'application'>): Promise<string[]> {
  const { rows } = await application.database.pool.query(`select key from loose_objects where key like 'readings/%'`);
  return rows.map((row) => row.key);
}

test('a translated book leaves no reading in storage, nor a note of one', async () => {
  const working = await startTestApp({ own: true });
  const storage = await FileStorage.open(`${working.dataDir}/files`);
  const { key } = await working.account({ credits: 1_000_000 });
  const task = await run(working, key, fields, { file });
  assert.equal(task.status, 'completed');
  assert.equal(task.credits_charged, task.char_count);
  assert.deepEqual(await readings(working), []);
  assert.equal(await storage.head(readingKeyOf(task.task_id)), undefined);
});

test('a reading is noted while it waits, goes with its task when that is deleted, and by itself an hour after a cancelled one', async () => {
  const storage = await FileStorage.open(`${app.dataDir}/files`);
  const { key } = await app.account({ credits: 1_000_000 });
  const taskOf = async () => (await create(app, key, fields, { file })).body.data.task_id;
  const [deleted, waiting] = [await taskOf(), await taskOf()];
  assert.deepEqual((await readings(app)).sort(), [deleted, waiting].map(readingKeyOf).sort());
  assert.equal((await placesOf(app, canary)).length, 2, 'in two readings; sources are packed');
  await app.call('DELETE', `/api/v1/tasks/${deleted}`, { key });
  assert.equal(await storage.head(readingKeyOf(deleted)), undefined);
  const sweeping = { db: app.application.database.db, storage, retentionDays: 30, log: createLog('silent') };
  const later = new Date(Date.now() + 61 * 60_000);
  await sweep(sweeping, later);
  assert.notEqual(await storage.head(readingKeyOf(waiting)), undefined, 'its task still waits for a worker');
  await app.call('POST', `/api/v1/tasks/${waiting}/cancel`, { key });
  await sweep(sweeping, later);
  assert.deepEqual(await placesOf(app, canary), []);
  assert.deepEqual(await readings(app), []);
});

test('a create that is refused for its credits leaves no reading', async () => {
  const { key } = await app.account({ credits: 100 });
  assertError(await create(app, key, fields, { file }), 402, 'PAYMENT_REQUIRED');
  assert.deepEqual(await readings(app), []);
  assert.deepEqual(await placesOf(app, canary), []);
});

test('a worker that is sooner there than the reading waits for it, and for nothing that nobody is writing', async () => {
  const { db } = app.application.database;
  const storage = await FileStorage.open(`${app.dataDir}/files`);
  const deps = { db, storage, log: createLog('silent') };
  const folder = await mkdtemp(join(tmpdir(), 'toledo-reading-'));
  try {
    const taskId = 'task_00000000000000000000000001';
    const path = join(folder, 'reading');
    assert.equal(await fetchReading(deps, taskId, path), false, 'nobody has noted it');
    await noteSource(db, taskId, readingKeyOf(taskId));
    assert.equal(await fetchReading(deps, taskId, path), false, 'it never comes');
    const fetched = fetchReading(deps, taskId, path);
    const left = join(folder, 'left');
    await writeFile(left, 'what was read');
    await leaveReading(deps, taskId, left);
    assert.equal(await fetched, true);
    assert.equal(await readFile(path, 'utf8'), 'what was read');
    await discardReading(deps, taskId);
  } finally {
    await rm(folder, { recursive: true });
  }
});
