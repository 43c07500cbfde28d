import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { verifyWebhook } from '../../client/src/index.ts';
import { run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { type CommandResult, startToledo, toledo } from '../support/toledo-process.ts';
import { localWebhooks, startWebhookReceiver } from '../support/webhook-receiver.ts';
import { eventually } from '../support/workers.ts';

const app = await startTestApp({ env: localWebhooks });
const { id: accountId, key } = await app.account({ credits: 10_000 });
const env = { TOLEDO_BASE_URL: `${app.rootUrl}/api/v1`, TOLEDO_API_KEY: key };
const operator = { TOLEDO_DATA_DIR: app.dataDir, TOLEDO_DATABASE_URL: app.databaseUrl };

const json = (result: CommandResult) => {
  assert.equal(result.code, 0, result.stderr);
  return JSON.parse(result.stdout);
};

test('a partner makes, tests, changes and deletes a webhook; an operator sees it and sends an event again', async () => {
  const receiver = await startWebhookReceiver();
  const made = json(await toledo(['webhook', 'create', receiver.url, '--events', 'task.completed', '--json'], env));
  assert.match(made.secret, /^whsec_/);
  const id = made.webhook_id;
  assert.match((await toledo(['webhook', 'test', id], env)).stdout, /^Delivered +204/);
  await run(app, key, { action: 'token_estimate', text: 'One.' });
  await receiver.until(2);
  await eventually(
    async () =>
      json(await toledo(['webhook', 'deliveries', id, '--status', 'delivered', '--json'], env)).deliveries.length === 1,
    'the delivery',
  );
  const [listed] = json(await toledo(['webhook', 'list', '--all-accounts', '--json'], operator)).webhooks;
  assert.equal(listed.webhook_id, id);
  assert.match(
    (await toledo(['webhook', 'list', '--account', accountId], operator)).stdout,
    new RegExp(`${id} +enabled`),
  );
  const { deliveries } = json(await toledo(['webhook', 'deliveries', id, '--account', accountId, '--json'], operator));
  json(
    await toledo(['webhook', 'redeliver', id, deliveries[0].delivery_id, '--account', accountId, '--json'], operator),
  );
  const received = await receiver.until(3);
  assert.equal(received[2]?.headers['webhook-id'], received[1]?.headers['webhook-id']);
  const { rows } = await app.application.database.pool.query(
    `select action, subject from audit_log where action like 'webhook%'`,
  );
  assert.deepEqual(rows, [{ action: 'webhook.redeliver', subject: id }]);
  const rotated = json(await toledo(['webhook', 'rotate', id, '--json'], env));
  assert.notEqual(rotated.secret, made.secret);
  assert.equal(json(await toledo(['webhook', 'update', id, '--enabled', 'off', '--json'], env)).enabled, false);
  assert.equal((await toledo(['webhook', 'update', id], env)).code, 2);
  assert.equal((await toledo(['webhook', 'create', receiver.url, '--events', 'task.done'], env)).code, 2);
  json(await toledo(['webhook', 'delete', id, '--json'], env));
  assert.deepEqual(json(await toledo(['webhook', 'list', '--json'], env)).webhooks, []);
});

test('listen brings events to a program on this machine, signed, and ends with Ctrl-C', async () => {
  const receiver = await startWebhookReceiver();
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const listening = startToledo(['webhook', 'listen', '--forward', receiver.url, '--secret', secret, '--json'], env);
  // What was before the start is not shown; the first page says where that is.
  await eventually(async () => {
    await run(app, key, { action: 'token_estimate', text: 'Two.' });
    return receiver.received.length > 0;
  }, 'an event');
  const [received] = receiver.received;
  assert.ok(received);
  const event = await verifyWebhook(received.body, received.headers, secret);
  assert.equal(event.type, 'task.completed');
  listening.child.kill('SIGINT');
  const { code, stdout } = await listening.ended;
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout.split('\n')[0] as string), event);
});
