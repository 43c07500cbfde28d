import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from '../../client/src/index.ts';
import { signatureHeaders } from '../../src/events/webhook-secret.ts';
import { Secret } from '../../src/secret.ts';
import { placesOf } from '../support/stored.ts';
import { assertError, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { localWebhooks, type ReceivedWebhook, startWebhookReceiver } from '../support/webhook-receiver.ts';
import { eventually } from '../support/workers.ts';

const app = await startTestApp({ env: localWebhooks });
const { pool } = app.application.database;

const api = (method: string, path: string, key: string, body?: object) =>
  app.call(method, `/api/v1/webhooks${path}`, {
    key,
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  });
const subscribe = async (key: string, url: string, events = ['task.completed']) => {
  const { status, body, text } = await api('POST', '', key, { url, events });
  assert.equal(status, 201, text);
  return body.data;
};
const translate = (key: string, text = 'The lamp was out.') =>
  run(app, key, { action: 'translation', target_lang: 'de', text });
const deliveries = async (key: string, id: string) => (await api('GET', `/${id}/deliveries`, key)).body.data.deliveries;
const standard = (secret: string, { body, headers }: ReceivedWebhook) =>
  new StandardWebhook(secret).verify(body, headers as Record<string, string>);
/** Instead of waiting for minutes and hours. */
const dueNow = () =>
  pool.query(`update pgboss.job set start_after = now() where name = 'webhook' and state < 'active'`);

test('an event reaches the webhook that wants it, signed as Standard Webhooks says, and the feed shows the same', async () => {
  const { key } = await app.account({ credits: 1_000 });
  const receiver = await startWebhookReceiver();
  const webhook = await subscribe(key, receiver.url);
  assert.match(webhook.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const task = await translate(key);
  await run(app, key, { action: 'token_estimate', text: 'x' });
  const received = await receiver.until(2);
  const feed = (await app.call('GET', '/api/v1/events', { key })).body.data.events;
  const bodies = received.map(({ event }) => event).sort((a, b) => (a.id < b.id ? -1 : 1));
  assert.deepEqual(bodies, feed);
  assert.equal(bodies[0].data.task_id, task.task_id);
  for (const each of received) {
    assert.equal(each.headers['webhook-id'], each.event.id);
    assert.deepEqual(standard(webhook.secret, each), each.event);
    assert.deepEqual(await verifyWebhook(each.body, each.headers, webhook.secret), each.event);
  }
  await eventually(
    async () =>
      (await deliveries(key, webhook.webhook_id)).every(({ status }: { status: string }) => status === 'delivered'),
    'noted',
  );
  const { attempts } = (await deliveries(key, webhook.webhook_id))[0];
  assert.deepEqual(
    [attempts.length, attempts[0].number, attempts[0].status_code, attempts[0].error],
    [1, 1, 204, null],
  );
});

test('verifyWebhook accepts what the reference library signs, and refuses what is forged, old or of another secret', async () => {
  const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
  const body = JSON.stringify({ id: 'evt_1', type: 'task.completed', created_at: 'x', data: { text: 'Ünïcode' } });
  const now = new Date();
  const at = Math.floor(now.getTime() / 1000);
  const signature = new StandardWebhook(secret).sign('evt_1', now, body);
  const headers = {
    'Webhook-Id': 'evt_1',
    'Webhook-Timestamp': String(at),
    'Webhook-Signature': `v1,AAAA v2,x ${signature}`,
  };
  assert.equal((await verifyWebhook(Buffer.from(body), new Headers(headers), secret)).id, 'evt_1');
  assert.equal((await verifyWebhook(body, headers, ['whsec_AAAA', secret])).id, 'evt_1');
  const ours = signatureHeaders({ id: 'evt_1', body, timestampSeconds: at }, [new Secret(secret)]);
  assert.equal(ours['webhook-signature'], signature, 'both sign alike');
  const forged: [string, object, string][] = [
    [`${body} `, headers, secret],
    [body, { ...headers, 'Webhook-Id': 'evt_2' }, secret],
    [body, { ...headers, 'Webhook-Timestamp': String(at - 301) }, secret],
    [body, { ...headers, 'Webhook-Timestamp': String(at + 301) }, secret],
    [body, { ...headers, 'Webhook-Timestamp': 'now' }, secret],
    [body, { ...headers, 'Webhook-Signature': signature.replace('v1,', 'v1a,') }, secret],
    [body, { ...headers, 'Webhook-Signature': 'v1,%%%' }, secret],
    [body, {}, secret],
    [body, headers, 'whsec_c2VjcmV0'],
    [body, headers, ''],
  ];
  for (const [text, given, with_] of forged)
    await assert.rejects(verifyWebhook(text, given as Record<string, string>, with_), WebhookVerificationError);
});

test('a rotation refuses no delivery: both secrets sign, and each alone verifies', async () => {
  const { key } = await app.account({ credits: 1_000 });
  const receiver = await startWebhookReceiver();
  const before = await subscribe(key, receiver.url);
  await translate(key, 'One.');
  await receiver.until(1);
  const after = (await api('POST', `/${before.webhook_id}/rotate-secret`, key)).body.data;
  assert.notEqual(after.secret, before.secret);
  assert.ok(new Date(after.previous_secret_until).getTime() > Date.now() + 23 * 3_600_000);
  await translate(key, 'Two.');
  const [first, second] = await receiver.until(2);
  assert.ok(first && second);
  standard(before.secret, first);
  assert.throws(() => standard(after.secret, first));
  standard(before.secret, second);
  standard(after.secret, second);
  await pool.query(`update webhooks set previous_secret_until = now() where id = $1`, [before.webhook_id]);
  await translate(key, 'Three.');
  const third = (await receiver.until(3))[2] as ReceivedWebhook;
  standard(after.secret, third);
  assert.throws(() => standard(before.secret, third));
});

test('the secret is shown once, and stands nowhere in the database', async () => {
  const { key } = await app.account();
  const receiver = await startWebhookReceiver();
  const { secret, webhook_id } = await subscribe(key, receiver.url);
  const raw = secret.slice('whsec_'.length);
  assert.deepEqual(await placesOf(app, raw), []);
  assert.deepEqual(await placesOf(app, Buffer.from(raw, 'base64').toString('hex')), []);
  for (const path of ['', `/${webhook_id}`]) assert.ok(!(await api('GET', path, key)).text.includes('secret"'));
});

test('a refused delivery is tried again under the same webhook-id, in the rhythm of the schedule, until it is accepted', async () => {
  const { key } = await app.account({ credits: 1_000 });
  const receiver = await startWebhookReceiver();
  const { webhook_id } = await subscribe(key, receiver.url);
  const answers = [500, 302, 503, 200];
  receiver.answer = (response) => {
    const status = answers[receiver.received.length - 1] ?? 200;
    response
      .writeHead(status, status === 503 ? { 'retry-after': '7200' } : { location: 'http://127.0.0.1/x' })
      .end(`answer ${status}`);
  };
  await translate(key);
  const waits: number[] = [];
  for (let n = 1; n <= 3; n++) {
    await receiver.until(n);
    await eventually(async () => (await deliveries(key, webhook_id))[0].attempts.length === n, 'noted');
    const [delivery] = await deliveries(key, webhook_id);
    waits.push(
      (new Date(delivery.next_attempt_at).getTime() - new Date(delivery.attempts[n - 1].attempted_at).getTime()) / 1000,
    );
    await dueNow();
  }
  await receiver.until(4);
  await eventually(async () => (await deliveries(key, webhook_id))[0].status === 'delivered', 'delivered');
  const [{ attempts }] = await deliveries(key, webhook_id);
  assert.deepEqual(
    attempts.map(({ status_code, error, answer }: { status_code: number; error: string; answer: string }) => [
      status_code,
      error,
      answer,
    ]),
    [
      [500, 'status', 'answer 500'],
      [302, 'redirect', 'answer 302'],
      [503, 'status', 'answer 503'],
      [200, null, 'answer 200'],
    ],
  );
  assert.ok((waits[0] ?? 0) >= 4.9 && (waits[0] ?? 0) <= 6.1, `${waits[0]}`);
  assert.ok((waits[1] ?? 0) >= 299 && (waits[1] ?? 0) <= 361, `${waits[1]}`);
  assert.ok((waits[2] ?? 0) >= 7_199 && (waits[2] ?? 0) <= 7_201, `Retry-After: ${waits[2]}`);
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
  assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1);
});

test('redelivery keeps the webhook-id and the body', async () => {
  const { key } = await app.account({ credits: 1_000 });
  const receiver = await startWebhookReceiver();
  const { webhook_id } = await subscribe(key, receiver.url);
  await translate(key);
  await receiver.until(1);
  const [{ delivery_id }] = await deliveries(key, webhook_id);
  const again = await api('POST', `/${webhook_id}/deliveries/${delivery_id}/redeliver`, key);
  assert.equal(again.status, 200, again.text);
  assert.notEqual(again.body.data.delivery_id, delivery_id);
  const [first, second] = await receiver.until(2);
  assert.deepEqual([second?.headers['webhook-id'], second?.body], [first?.headers['webhook-id'], first?.body]);
  const other = await app.account();
  for (const [id, delivery, by] of [
    [webhook_id, delivery_id, other.key],
    [webhook_id, 'dlv_x', key],
    ['whk_x', delivery_id, key],
  ])
    assertError(await api('POST', `/${id}/deliveries/${delivery}/redeliver`, by as string), 404, 'NOT_FOUND');
});

test('410 disables at once, with an event for the other webhooks; enabling brings it back', async () => {
  const { key } = await app.account({ credits: 1_000 });
  const [gone, other] = [await startWebhookReceiver(), await startWebhookReceiver()];
  gone.answer = (response) => void response.writeHead(410).end();
  const { webhook_id } = await subscribe(key, gone.url);
  await subscribe(key, other.url, ['webhook.disabled']);
  await translate(key, 'One.');
  const [told] = await other.until(1);
  assert.deepEqual(
    [told?.event.type, told?.event.data],
    ['webhook.disabled', { webhook_id, url: gone.url, reason: 'gone' }],
  );
  const view = (await api('GET', `/${webhook_id}`, key)).body.data;
  assert.deepEqual([view.enabled, view.disabled_reason], [false, 'gone']);
  await translate(key, 'Two.');
  assert.equal((await deliveries(key, webhook_id)).length, 1, 'nothing more is sent there');
  const [{ delivery_id, status }] = await deliveries(key, webhook_id);
  assert.equal(status, 'failed');
  assertError(await api('POST', `/${webhook_id}/deliveries/${delivery_id}/redeliver`, key), 400, 'BAD_REQUEST', {
    reason: 'WEBHOOK_DISABLED',
  });
  gone.answer = (response) => void response.writeHead(200).end();
  const enabled = (await api('PATCH', `/${webhook_id}`, key, { enabled: true })).body.data;
  assert.deepEqual([enabled.enabled, enabled.disabled_reason, enabled.failing_since], [true, null, null]);
  await translate(key, 'Three.');
  await gone.until(2);
});

test('five days of nothing but failure disable; ten attempts are the end of one delivery', async () => {
  const { key } = await app.account({ credits: 1_000 });
  const receiver = await startWebhookReceiver();
  receiver.answer = (response) => void response.writeHead(500).end();
  const { webhook_id } = await subscribe(key, receiver.url);
  await translate(key, 'One.');
  for (let n = 1; n <= 10; n++) {
    await receiver.until(n);
    await eventually(async () => (await deliveries(key, webhook_id))[0].attempts.length === n, 'noted');
    await dueNow();
  }
  assert.deepEqual(
    (await deliveries(key, webhook_id)).map(({ status }: { status: string }) => status),
    ['failed'],
  );
  assert.equal((await api('GET', `/${webhook_id}`, key)).body.data.enabled, true);
  await pool.query(`update webhooks set failing_since = now() - interval '5 days' where id = $1`, [webhook_id]);
  await translate(key, 'Two.');
  await eventually(async () => !(await api('GET', `/${webhook_id}`, key)).body.data.enabled, 'disabled');
  const { events } = (await app.call('GET', '/api/v1/events?types=webhook.disabled', { key })).body.data;
  assert.deepEqual(
    events.map(({ data }: { data: { reason: string } }) => data.reason),
    ['failing'],
  );
});

test('a test is sent now and answers with what came back', async () => {
  const { key } = await app.account();
  const receiver = await startWebhookReceiver();
  receiver.answer = (response) => void response.writeHead(418).end(`teapot\0${'x'.repeat(5_000)}`);
  const { webhook_id, secret } = await subscribe(key, receiver.url);
  const { body } = await api('POST', `/${webhook_id}/test`, key);
  assert.deepEqual([body.data.delivered, body.data.status_code, body.data.error], [false, 418, 'status']);
  assert.ok(body.data.answer.startsWith('teapot\ufffdxx') && body.data.answer.length === 1_024);
  const [sent] = receiver.received;
  assert.equal(sent?.event.type, 'webhook.test');
  standard(secret, sent as ReceivedWebhook);
  receiver.answer = (response) => void response.writeHead(200).end('fine');
  assert.deepEqual((await api('POST', `/${webhook_id}/test`, key)).body.data.delivered, true);
});

test('webhooks can be changed, listed and deleted by their owner alone, and there are ten at most', async () => {
  const { key } = await app.account();
  const stranger = await app.account();
  const receiver = await startWebhookReceiver();
  const made = await Promise.all(
    Array.from({ length: 12 }, () => api('POST', '', key, { url: receiver.url, events: ['task.failed'] })),
  );
  assert.deepEqual(made.map(({ status }) => status).sort(), [...Array(10).fill(201), 400, 400]);
  const list = (await api('GET', '', key)).body.data.webhooks;
  assert.equal(list.length, 10);
  const [{ webhook_id }] = list;
  const change = {
    description: 'orders',
    events: ['task.completed', 'balance.low'],
    url: `${receiver.url}/2`,
    enabled: false,
  };
  const changed = (await api('PATCH', `/${webhook_id}`, key, change)).body.data;
  assert.deepEqual([changed.description, changed.events, changed.url, changed.enabled], Object.values(change));
  for (const id of [webhook_id, 'whk_1', 'x', '%00']) {
    const by = id === webhook_id ? stranger.key : key;
    assertError(await api('GET', `/${id}`, by), 404, 'NOT_FOUND');
    assertError(await api('PATCH', `/${id}`, by, { enabled: true }), 404, 'NOT_FOUND');
    assertError(await api('DELETE', `/${id}`, by), 404, 'NOT_FOUND');
    assertError(await api('POST', `/${id}/rotate-secret`, by), 404, 'NOT_FOUND');
    assertError(await api('POST', `/${id}/test`, by), 404, 'NOT_FOUND');
    assertError(await api('GET', `/${id}/deliveries`, by), 404, 'NOT_FOUND');
  }
  const wrong: [object, string][] = [
    [{ events: ['task.completed'] }, 'url'],
    [{ url: receiver.url }, 'events'],
    [{ url: receiver.url, events: [] }, 'events'],
    [{ url: receiver.url, events: ['task.done'] }, 'events'],
    [{ url: receiver.url, events: ['task.failed'], description: 'a\nb' }, 'description'],
    [{ url: receiver.url, events: ['task.failed'], secret: 'mine' }, 'secret'],
  ];
  for (const [body] of wrong)
    assertError(await api('POST', '', stranger.key, body), 400, 'BAD_REQUEST', {}, JSON.stringify(body));
  assertError(await api('PATCH', `/${webhook_id}`, key, {}), 400, 'BAD_REQUEST');
  assert.equal((await api('DELETE', `/${webhook_id}`, key)).status, 200);
  assertError(await api('GET', `/${webhook_id}`, key), 404, 'NOT_FOUND');
});
