/** Files of a finished translation that are made when somebody asks for them. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { openStorage } from '../../src/platform/storage/open-storage.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';
import { OutputMaker } from '../../src/reading/output-maker.ts';
import { StorageQuota } from '../../src/tasks/storage-quota.ts';
import { findTask } from '../../src/tasks/task-store.ts';
import { assertError, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const account = await app.account();
const { key } = await app.newKey(account.id, 'test');
const file = { content: '# Uno\n\nLa carta llegó un martes.\n\nNadie la quiso abrir.\n', fileName: 'carta.md' };
const fields = { action: 'translation', source_lang: 'es', target_lang: 'en', estimated_chars: 200 };
const translated = () => run(app, key, { ...fields, outputs: 'translated' }, { file });
const ask = (taskId: string, fileId: string, as = key) =>
  app.call('GET', `/api/v1/tasks/${taskId}/download?file_id=${fileId}`, { key: as });
const textOf = async (taskId: string, fileId: string): Promise<string> => {
  const { status, body, text } = await ask(taskId, fileId);
  assert.equal(status, 200, text);
  return await (await fetch(body.data.download_url)).text();
};
const correct = async (taskId: string, target: string) => {
  const body = JSON.stringify({ corrections: [{ source: 'Nadie la quiso abrir.', target }] });
  const headers = { 'content-type': 'application/json' };
  const { body: answer } = await app.call('POST', `/api/v1/tasks/${taskId}/corrections`, { key, headers, body });
  assert.equal(answer.data.taken, 1);
};

test('a task that was created without a file has it when somebody asks, at no price', async () => {
  const task = await translated();
  for (const [fileId, begins, name] of [
    ['xliff', /^<\?xml[\s\S]*<xliff version="1\.2"/, 'carta.en.xlf'],
    ['tmx', /^<\?xml[\s\S]*<tmx version="1\.4"/, 'carta.en.tmx'],
    ['glossary', /^source,target,/, 'carta.en.glossary.csv'],
    ['glossary_tbx', /TBX-Basic/, 'carta.en.glossary.tbx'],
    ['bilingual', /La carta llegó un martes\.[\s\S]*Nadie/, 'carta.en.bilingual.md'],
    ['corrected', /^# /, 'carta.en.corrected.md'],
  ] as const) {
    assert.match(await textOf(task.task_id, fileId), begins);
    assert.equal((await ask(task.task_id, fileId)).body.data.file_name, name);
  }
  const { body } = await app.call('GET', `/api/v1/tasks/${task.task_id}`, { key });
  assert.deepEqual(
    body.data.download_files.map((each: { file_id: string }) => each.file_id),
    ['translated', 'xliff', 'tmx', 'glossary', 'glossary_tbx', 'bilingual', 'corrected'],
  );
  assert.equal(body.data.credits_charged, task.credits_charged);
  assertError(await ask(task.task_id, 'report'), 409, 'TASK_NOT_DOWNLOADABLE');
});

test('the file itself is made for a Bearer key too, and nobody else has it', async () => {
  const task = await translated();
  const path = `/api/tasks/download-file/${task.task_id}?file_id=xliff`;
  assertError(await ask(task.task_id, 'xliff', (await app.account()).key), 404, 'NOT_FOUND');
  const { status, text } = await app.call('GET', path, { key });
  assert.equal(status, 200, text);
  assert.match(text, /<xliff version="1\.2"/);
});

test('a download holds the corrections of its moment; the translation stays what the machine made', async () => {
  const task = await run(app, key, { ...fields, outputs: 'bilingual,xliff' }, { file });
  const machine = await textOf(task.task_id, 'translated');
  for (const target of ['Nobody would open it.', 'No one would open it.']) {
    await correct(task.task_id, target);
    for (const fileId of ['corrected', 'bilingual', 'xliff', 'tmx'])
      assert.ok((await textOf(task.task_id, fileId)).includes(target), fileId);
  }
  const first = (await ask(task.task_id, 'xliff')).body.data;
  assert.deepEqual((await ask(task.task_id, 'xliff')).body.data.sha256, first.sha256);
  assert.equal(await textOf(task.task_id, 'translated'), machine);
});

test('requests at the same time make a file once, also of two processes one is kept', async () => {
  const { task_id } = await translated();
  const { db } = app.application.database;
  const task = await findTask(db, { accountId: account.id, sandbox: true }, task_id);
  const storage = await openStorage({ storage: 'file', dataDir: app.dataDir });
  const put: string[] = [];
  const counting: Storage = Object.create(storage, {
    put: {
      value: (key: string, ...rest: [AsyncIterable<Uint8Array>]) => {
        put.push(key);
        return storage.put(key, ...rest);
      },
    },
    get: { value: storage.get.bind(storage) },
    delete: { value: storage.delete.bind(storage) },
  });
  // XLIFF is made without the source.
  const maker = () =>
    new OutputMaker({ db, storage: counting, sources: undefined as never, quota: new StorageQuota(db, 1e9) });
  const [one, two] = [maker(), maker()];
  const made = await Promise.all([1, 2, 3, 4].map(() => one.fresh(task, 'xliff')));
  assert.equal(put.length, 1);
  await correct(task_id, 'Nobody opened it.');
  const both = await Promise.all([one, two, one, two].map((each) => each.fresh(task, 'xliff')));
  assert.ok(put.length <= 3);
  assert.equal(new Set(both.map(({ storageKey }) => storageKey)).size, 1);
  for (const key of put) {
    const isKept = key === both[0]?.storageKey;
    assert.equal((await storage.head(key)) !== undefined, isKept, key);
  }
  assert.notEqual(made[0]?.storageKey, both[0]?.storageKey);
});
