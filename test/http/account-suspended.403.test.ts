import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { create, untilEnded } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { toledo } from '../support/toledo-process.ts';

const app = await startTestApp();
const command = (...args: string[]) =>
  toledo(args, { TOLEDO_DATA_DIR: app.dataDir, TOLEDO_DATABASE_URL: app.databaseUrl });

test('a suspended account is refused on every call, its running task finishes, and resuming lets it in again', async () => {
  const { id, key } = await app.account({ credits: 1_000 });
  const created = await create(app, key, { action: 'translation', target_lang: 'en', text: 'Bonjour tout le monde.' });
  assert.equal(created.status, 201);
  const suspended = await command('account', 'suspend', id, '--reason', 'unpaid invoice', '--json');
  assert.equal(JSON.parse(suspended.stdout).reason, 'unpaid invoice');
  const taskId = created.body.data.task_id;
  const answers = [
    await app.call('GET', '/api/v1/usage', { key }),
    await app.call('GET', `/api/v1/tasks/${taskId}`, { key }),
    await create(app, key, { action: 'translation', target_lang: 'en', text: 'Encore.' }),
  ];
  for (const { status, body } of answers) {
    assert.equal(status, 403);
    assert.equal(body.error.code, 'ACCOUNT_SUSPENDED');
    assert.ok(!JSON.stringify(body).includes('invoice'), 'the reason is for operators');
  }
  assert.equal((await command('account', 'resume', id)).code, 0);
  assert.equal((await untilEnded(app, key, taskId)).status, 'completed');
});

test('suspending needs a reason, and the other accounts notice nothing', async () => {
  const one = await app.account();
  const other = await app.account();
  const { code, stderr } = await command('account', 'suspend', one.id);
  assert.equal(code, 2);
  assert.match(stderr, /--reason/);
  await command('account', 'suspend', one.id, '--reason', 'test');
  assert.equal((await app.call('GET', '/api/v1/usage', { key: other.key })).status, 200);
});
