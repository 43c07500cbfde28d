import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { assertError, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const { id: accountId } = await app.account();
const { key } = await app.newKey(accountId, 'test');
const headers = { 'content-type': 'application/json' };
const source = 'Nadie la vio.';
const task = await run(app, key, {
  ...{ action: 'translation', source_lang: 'es', target_lang: 'en', text: `Ana abrió la carta.\n\n${source}` },
});
const path = `/api/v1/tasks/${task.task_id}`;
const { url } = (await app.call('POST', `${path}/reader-link`, { key, headers, body: '{"editable": true}' })).body.data;
const link = new URL(url).pathname;
const save = (target: string, before?: string) =>
  app.call('POST', `${link}corrections`, { headers, body: JSON.stringify({ block_id: 'b2', source, target, before }) });
const history = async () => (await app.call('GET', `${path}/corrections/b2`, { key })).body.data;

test('a save of what was read before somebody else saved is 409 with the text that is there', async () => {
  const { machine } = await history();
  assert.equal((await save('First.', machine)).body.data.taken, 1);
  const late = await save('Second.', machine);
  assertError(late, 409, 'CHANGED_MEANWHILE');
  assert.equal(late.body.error.details.current, 'First.');
  assert.equal((await history()).current, 'First.');
  assert.equal((await save('Second.', 'First.')).body.data.taken, 1);
});

test('a paragraph has its last ten texts, and its machine translation back when it is asked for', async () => {
  const { machine } = await history();
  for (let n = 0; n < 12; n++) await save(`Version ${n}.`);
  const now = await history();
  assert.deepEqual([now.current, now.corrected, now.earlier.length], ['Version 11.', true, 10]);
  assert.deepEqual(
    now.earlier.map(({ text }: { text: string }) => text),
    Array.from({ length: 10 }, (_, i) => `Version ${10 - i}.`),
  );
  assert.deepEqual((await app.call('GET', `${link}corrections/b2`)).body.data, now, 'the reader shows the same');
  const { status, body } = await app.call('DELETE', `${path}/corrections/b2`, { key });
  assert.equal(status, 200);
  assert.deepEqual(
    [body.data.current, body.data.corrected, body.data.earlier[0].text],
    [machine, false, 'Version 11.'],
  );
  const { blocks } = (await app.call('GET', `${link}chapters/0`)).body.data;
  assert.deepEqual([blocks[1].target, blocks[1].corrected], [machine, false]);
  assertError(await app.call('GET', `${path}/corrections/b99`, { key }), 404, 'NOT_FOUND');
  const other = await app.account();
  assertError(await app.call('DELETE', `${path}/corrections/b2`, { key: other.key }), 404, 'NOT_FOUND');
});
