import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { addressRanges } from '../../src/events/allowed-address.ts';
import { postWebhook } from '../../src/events/post-webhook.ts';
import { recordEvent } from '../../src/events/record-event.ts';
import { checkUrl, type TargetPolicy } from '../../src/events/webhook-target.ts';
import { startNameServer } from '../support/name-server.ts';
import { assertError, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { localWebhooks, startWebhookReceiver } from '../support/webhook-receiver.ts';
import { eventually } from '../support/workers.ts';
import { startHostileEndpoints, startRawServer } from './hostile-endpoints.ts';
import { hostileHosts, hostileUrls } from './hostile-urls.ts';

const json = (body: object) => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

test(`each of ${hostileUrls.length} hostile URLs is refused with its reason, at creation and at change`, async () => {
  const resolveWebhookHost = async (host: string) => hostileHosts[host] ?? [];
  const app = await startTestApp({ role: 'api', resolveWebhookHost });
  const { key } = await app.account();
  const fine = await app.call('POST', '/api/v1/webhooks', {
    key,
    ...json({ url: 'https://93.184.215.14/x?y=z', events: ['task.failed'] }),
  });
  assert.equal(fine.status, 201, fine.text);
  assert.ok(hostileUrls.length >= 60);
  for (const [url, reason] of hostileUrls) {
    const create = await app.call('POST', '/api/v1/webhooks', { key, ...json({ url, events: ['task.failed'] }) });
    assertError(create, 400, 'BAD_REQUEST', { field: 'url', reason }, url);
    const change = await app.call('PATCH', `/api/v1/webhooks/${fine.body.data.webhook_id}`, { key, ...json({ url }) });
    assertError(change, 400, 'BAD_REQUEST', { field: 'url', reason }, url);
  }
  const shown = (await app.call('GET', `/api/v1/webhooks/${fine.body.data.webhook_id}`, { key })).body.data;
  assert.equal(shown.url, 'https://93.184.215.14/x?y=z');
});

test('what an operator allows is allowed, and nothing beside it', async () => {
  const allowed = addressRanges(['10.1.0.0/16', '192.168.7.20', 'fd12::/16']);
  const policy: TargetPolicy = { allowed, allowHttp: false, resolve: async () => [] };
  const outcome = async (url: string) =>
    (await postWebhook({ url, headers: {}, body: '' }, policy, AbortSignal.timeout(300)).catch(() => undefined))?.error;
  for (const url of ['https://10.2.0.1/', 'https://192.168.7.21/', 'https://127.0.0.1/', 'https://[fd13::1]/'])
    assert.equal(await outcome(url), 'address_not_allowed', url);
  for (const url of ['https://10.1.255.1/', 'https://192.168.7.20/', 'https://[fd12::1]/'])
    assert.notEqual(await outcome(url), 'address_not_allowed', url);
  assert.throws(() => checkUrl('http://10.1.0.1/', policy), /https/);
});

test('a name whose answer changes is never connected to at the second address: the checked one is used', async () => {
  const names = await startNameServer();
  const trap = await startRawServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
  const target = await startRawServer((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
  });
  // 127.0.0.2 stands for the internet, 127.0.0.1 for what must stay out of reach.
  const policy: TargetPolicy = { allowed: addressRanges(['127.0.0.2']), allowHttp: true, resolve: names.resolve };
  const send = () =>
    postWebhook(
      { url: `http://rebind.example:${trap.port}/`, headers: {}, body: '{}' },
      policy,
      new AbortController().signal,
    );
  let asked = 0;
  names.answer = () => (asked++ < 2 ? ['127.0.0.2'] : ['127.0.0.1']);
  // Nobody listens at the checked address under this port; a second look-up would have found the trap.
  assert.equal((await send()).error, 'connection');
  assert.equal((await send()).error, 'address_not_allowed');
  assert.equal(trap.counts.connections, 0);
  assert.deepEqual(names.asked, ['rebind.example', 'rebind.example'], 'one look-up for each attempt');
  names.answer = () => ['127.0.0.2', '127.0.0.1'];
  assert.equal((await send()).error, 'address_not_allowed', 'one wrong address among them is enough');
  assert.equal(target.counts.connections, 0);
});

test('an endpoint that turns to a private address after it was created gets nothing', async () => {
  const names = await startNameServer();
  const trap = await startRawServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
  const app = await startTestApp({ resolveWebhookHost: names.resolve });
  const { key } = await app.account({ credits: 100 });
  names.answer = () => ['93.184.215.14'];
  const url = `https://turncoat.example:${trap.port}/`;
  const { body } = await app.call('POST', '/api/v1/webhooks', { key, ...json({ url, events: ['task.completed'] }) });
  names.answer = () => ['127.0.0.1'];
  await run(app, key, { action: 'token_estimate', text: 'One.' });
  const path = `/api/v1/webhooks/${body.data.webhook_id}/deliveries`;
  await eventually(
    async () =>
      (await app.call('GET', path, { key })).body.data.deliveries[0]?.attempts[0]?.error === 'address_not_allowed',
    10_000,
    'the refusal',
  );
  assert.equal(trap.counts.connections, 0);
});

test('endpoints that hang, drip, redirect, close, flood or talk nonsense delay nobody else, and no more than 4 at a time are tried', async () => {
  const app = await startTestApp({ env: localWebhooks });
  const victim = await app.account({ credits: 10_000 });
  const healthy = await app.account({ credits: 10_000 });
  const receiver = await startWebhookReceiver();
  const secondHop = await startRawServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
  const hostile = await startHostileEndpoints(`http://127.0.0.1:${secondHop.port}/`);
  const { hang } = hostile;
  const webhooks: Record<string, string> = {};
  for (const [name, { port }] of Object.entries(hostile)) {
    const url = `http://127.0.0.1:${port}/`;
    const made = await app.call('POST', '/api/v1/webhooks', {
      key: victim.key,
      ...json({ url, events: ['task.completed'] }),
    });
    assert.equal(made.status, 201, made.text);
    webhooks[name] = made.body.data.webhook_id;
  }
  await app.call('POST', '/api/v1/webhooks', {
    key: healthy.key,
    ...json({ url: receiver.url, events: ['task.completed'] }),
  });
  const { application } = app;
  const tell = (accountId: string) =>
    application.database.db
      .transaction()
      .execute((trx) => recordEvent(trx, application.queue, { accountId, type: 'task.completed', data: {} }));
  const each = 12;
  for (let n = 0; n < each; n++) await tell(victim.id);
  await eventually(async () => hang.counts.open === 4, 20_000, 'four hanging requests');
  // While four requests hang and others drip, everything of the healthy one arrives.
  for (let n = 1; n <= 5; n++) {
    await tell(healthy.id);
    await receiver.until(n);
  }
  assert.ok(hang.counts.connections < each, 'the healthy ones did not wait for them');
  const errorOf = async (name: string) => {
    const { body } = await app.call('GET', `/api/v1/webhooks/${webhooks[name]}/deliveries`, { key: victim.key });
    return body.data.deliveries.flatMap((each: { attempts: { error: string; answer: string }[] }) => each.attempts)[0];
  };
  for (const [name, error] of [
    ['redirect', 'redirect'],
    ['close', 'connection'],
    ['headers', 'malformed_answer'],
    ['nonsense', 'malformed_answer'],
  ] as const) {
    await eventually(async () => (await errorOf(name)) !== undefined, 10_000, name);
    assert.equal((await errorOf(name)).error, error, name);
  }
  await eventually(async () => (await errorOf('flood')) !== undefined, 10_000, 'flood');
  assert.equal((await errorOf('flood')).error, null);
  assert.equal((await errorOf('flood')).answer.length, 1_024);
  assert.equal(secondHop.counts.connections, 0, 'redirects are not followed');
  await eventually(async () => (await errorOf('hang'))?.error === 'timeout', 20_000, 'the hanging ones are given up');
  await eventually(async () => (await errorOf('drip'))?.error === 'timeout', 20_000, 'the dripping ones are given up');
  // The next four hang by now.
  await eventually(async () => hang.counts.connections >= 8 && hang.counts.open === 4, 20_000, 'the next four');
  for (const [name, { counts }] of Object.entries(hostile))
    assert.ok(counts.mostOpen <= 4, `${name}: ${counts.mostOpen} connections at a time`);
  assert.equal(hang.counts.mostOpen, 4);
});
