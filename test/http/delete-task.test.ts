import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { beginAttempt } from '../../src/books/attempt-store.ts';
import { createLog } from '../../src/platform/log.ts';
import { FileStorage } from '../../src/platform/storage/file-storage.ts';
import { Fenced } from '../../src/tasks/attempt.ts';
import { forgetObjects, noteOutputs, noteSource } from '../../src/tasks/object-store.ts';
import { sweep } from '../../src/tasks/sweeper.ts';
import { placesOf } from '../support/stored.ts';
import { assertError, create, creditsOf, poll, run, until } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { longStory } from '../support/texts.ts';
import { eventually } from '../support/workers.ts';

const app = await startTestApp({ own: true });
const { db, pool } = app.application.database;
const storage = await FileStorage.open(`${app.dataDir}/files`);

/** A word that occurs nowhere but in one test's text, its glossary and what is made of them. */
const withCanary = (canary: string) => ({
  text: `The ship ${canary} came in. Captain ${canary} was aboard the ${canary}. ${canary} waved. Everybody saw ${canary}.`,
  glossary: { [canary]: `${canary}ia` },
  target_lang: 'de',
});

const remove = (key: string, taskId: string) => app.call('DELETE', `/api/v1/tasks/${taskId}`, { key });

test('deleting removes the text from every table and file, for every action, and keeps task and ledger', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const actions = ['translation', 'preview_translation', 'token_estimate', 'glossary_extraction', 'preview_metadata'];
  for (const [i, action] of actions.entries()) {
    const canary = `Zanzorin${'abcde'[i]}`;
    const idempotencyKey = `delete ${action}`;
    const fields = { ...withCanary(canary), action, char_limit: 100 };
    const task = await run(app, key, fields, { idempotencyKey });
    assert.equal(task.status, 'completed');
    assert.ok((await placesOf(app, canary)).length > 0, 'the canary must be somewhere first');
    const before = await creditsOf(app, key);
    const { status, body } = await remove(key, task.task_id);
    assert.equal(status, 200);
    assert.match(body.data.purged_at, /Z$/);
    assert.deepEqual(await placesOf(app, canary), [], action);
    assert.deepEqual(await creditsOf(app, key), before);
    const view = (await poll(app, key, task.task_id)).body.data;
    assert.deepEqual([view.status, view.credits_charged], ['completed', task.credits_charged]);
    assert.deepEqual([view.terms, view.metadata, view.download_files], [undefined, undefined, undefined]);
    assert.equal(
      (await remove(key, task.task_id)).body.data.purged_at,
      body.data.purged_at,
      'deleting twice changes nothing',
    );
    const replay = await create(app, key, fields, { idempotencyKey });
    assert.equal(replay.status, 201);
    assert.equal(replay.body.data.task_id, task.task_id, 'the key still belongs to the task');
    assert.deepEqual(await placesOf(app, canary), [], `${action} after a replay`);
  }
});

test('deleting a running task cancels it first', async () => {
  const { key } = await app.account({ credits: 1_000_000 });
  const created = await create(app, key, { action: 'translation', target_lang: 'de-x-slow', text: longStory(21) });
  const taskId = created.body.data.task_id;
  await until(app, key, taskId, (task) => task.stage === 'translating');
  const { body } = await remove(key, taskId);
  assert.equal(body.data.status, 'cancelled');
  assert.equal((await creditsOf(app, key)).reserved, 0);
  const places = async () => (await placesOf(app, 'of year 21 the lamplighter')).length;
  await eventually(async () => (await places()) === 0, 'no text');
  assertError(await app.call('GET', `/api/v1/tasks/${taskId}/download`, { key }), 410, 'OUTPUT_EXPIRED');
});

test('retention removes text a given number of days after the end, and leaves everything younger alone', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const [old, young] = await Promise.all([
    run(app, key, { ...withCanary('Quorbidax'), action: 'translation' }),
    run(app, key, { ...withCanary('Vellomir'), action: 'translation' }),
  ]);
  await pool.query('alter table tasks disable trigger tasks_guard');
  await pool.query(`update tasks set ended_at = now() - interval '30 days 1 minute' where id = $1`, [old.task_id]);
  await pool.query(`update tasks set ended_at = now() - interval '29 days 23 hours' where id = $1`, [young.task_id]);
  await pool.query('alter table tasks enable trigger tasks_guard');
  await sweep({ db, storage, retentionDays: 30, log: createLog('silent') });
  assert.deepEqual(await placesOf(app, 'Quorbidax'), []);
  assert.ok((await placesOf(app, 'Vellomir')).length > 3);
  assertError(await app.call('GET', `/api/v1/tasks/${old.task_id}/download`, { key }), 410, 'OUTPUT_EXPIRED');
  assert.equal((await app.call('GET', `/api/v1/tasks/${young.task_id}/download`, { key })).status, 200);
});

test('objects that no task owns are removed after an hour, and only those', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const task = await run(app, key, { ...withCanary('Ossifen'), action: 'translation' });
  const orphan = 'sources/task_00000000000000000000000000';
  const content = async function* () {
    yield Buffer.from('Thrumbolt');
  };
  await noteSource(db, 'task_00000000000000000000000000', orphan);
  await storage.put(orphan, content());
  const sweeping = { db, storage, retentionDays: 30, log: createLog('silent') };
  await sweep(sweeping, new Date(Date.now() + 59 * 60_000));
  assert.ok((await storage.head(orphan)) !== undefined);
  await sweep(sweeping, new Date(Date.now() + 61 * 60_000));
  assert.equal(await storage.head(orphan), undefined);
  assert.equal((await app.call('GET', `/api/tasks/download-file/${task.task_id}`, { key })).status, 200);
});

test('DELETE and the sweep list nothing, and one object that cannot be removed does not keep the others', async () => {
  const { key } = await app.account({ credits: 10_000 });
  const task = await run(app, key, { ...withCanary('Pellicore'), action: 'translation' });
  const faulty = await FileStorage.open(`${app.dataDir}/files`);
  const stuck = 'sources/task_00000000000000000000000001';
  const other = 'sources/task_00000000000000000000000002';
  const remove = faulty.delete.bind(faulty);
  faulty.delete = async (name) => (name === stuck ? Promise.reject(new Error('stuck')) : remove(name));
  faulty.list = () => assert.fail('everything that is stored was listed');
  for (const name of [stuck, other]) {
    await noteSource(db, name.slice('sources/'.length), name);
    await storage.put(
      name,
      (async function* () {
        yield Buffer.from('x');
      })(),
    );
  }
  await pool.query('alter table tasks disable trigger tasks_guard');
  await pool.query(`update tasks set ended_at = now() - interval '31 days' where id = $1`, [task.task_id]);
  await pool.query('alter table tasks enable trigger tasks_guard');
  const later = new Date(Date.now() + 61 * 60_000);
  await sweep({ db, storage: faulty, retentionDays: 30, log: createLog('silent') }, later);
  assert.deepEqual(await placesOf(app, 'Pellicore'), []);
  assert.deepEqual([await storage.head(other), (await storage.head(stuck)) !== undefined], [undefined, true]);
  await sweep({ db, storage, retentionDays: 30, log: createLog('silent') }, later);
  assert.equal(await storage.head(stuck), undefined);
});

test('a worker that is writing when its task is deleted leaves nothing: it may not begin, and DELETE waits until it has ended', async () => {
  const idle = await startTestApp({ role: 'api' });
  const idleDb = idle.application.database.db;
  const { key } = await idle.account({ credits: 10_000 });
  const begin = async () => {
    const { body } = await create(idle, key, { action: 'translation', target_lang: 'de', text: 'Quandlewick slept.' });
    const begun = await beginAttempt(idleDb, body.data.task_id);
    assert.ok(begun);
    return { taskId: begun.task.id, number: begun.task.attempt };
  };
  const late = await begin();
  await idle.call('DELETE', `/api/v1/tasks/${late.taskId}`, { key });
  await assert.rejects(noteOutputs(idleDb, late, [`outputs/${late.taskId}/1-translated`]), Fenced);

  const writing = await begin();
  const output = `outputs/${writing.taskId}/1-translated`;
  const files = await FileStorage.open(`${idle.dataDir}/files`);
  await noteOutputs(idleDb, writing, [output]);
  let answered = false;
  const deleting = idle.call('DELETE', `/api/v1/tasks/${writing.taskId}`, { key }).then(() => {
    answered = true;
  });
  await until(idle, key, writing.taskId, (task) => task.status === 'cancelled');
  await files.put(
    output,
    (async function* () {
      yield Buffer.from('Quandlewick schlief.');
    })(),
  );
  assert.equal(answered, false, 'DELETE waits for the writer');
  await files.delete(output);
  await forgetObjects(idleDb, [output]);
  await deleting;
  assert.deepEqual(await placesOf(idle, 'Quandlewick'), []);
});
