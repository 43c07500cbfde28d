import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { addressRanges } from '../../src/events/allowed-address.ts';
import { postWebhook } from '../../src/events/post-webhook.ts';
import { checkUrl, type TargetPolicy } from '../../src/events/webhook-target.ts';
import { startNameServer } from '../support/name-server.ts';
import { assertError, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { eventually } from '../support/workers.ts';
import { startFailingEndpoints, startHangingEndpoints, startRawServer } from './hostile-endpoints.ts';
import { hostileHosts, hostileUrls } from './hostile-urls.ts';

const json = (body: object) => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

test(`each of ${hostileUrls.length} hostile URLs is refused with its reason, at creation and at change`, async () => {
  const names = await startNameServer();
  names.answer = (host) => hostileHosts[host] ?? [];
  const app = await startTestApp({ role: 'api', webhookNameServers: [names.address] });
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
  policy.resolve = async () => ['not an address'];
  assert.equal(await outcome('https://junk.example/'), 'address_not_allowed');
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
  const app = await startTestApp({ webhookNameServers: [names.address] });
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
    'the refusal',
  );
  assert.equal(trap.counts.connections, 0);
});

test('an attempt ends by its deadline whatever the endpoint or its name server does, with a verdict and no open connection', async () => {
  const endpoints = [...(await startHangingEndpoints()), ...(await startFailingEndpoints())];
  const silence = new Promise<never>(() => {});
  const policy: TargetPolicy = { allowed: addressRanges(['127.0.0.1']), allowHttp: true, resolve: () => silence };
  const send = (url: string) => postWebhook({ url, headers: {}, body: '{}' }, policy, new AbortController().signal);
  const unnamed = send('https://silent.example/');
  const results = await Promise.all(endpoints.map(({ url }) => send(url)));
  for (const [i, { name, error }] of endpoints.entries()) assert.equal(results[i]?.error ?? null, error, name);
  assert.equal((await unnamed).error, 'timeout', 'a name server that never answers');
  for (const { name, counts } of endpoints)
    if (counts) await eventually(async () => counts.open === 0, `${name}: the end of its connection`);
});
