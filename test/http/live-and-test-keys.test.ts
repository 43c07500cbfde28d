import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { openapiDocument } from '../../src/http/openapi.ts';
import { newId } from '../../src/platform/ids.ts';
import { assertError, create, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { localWebhooks, startWebhookReceiver } from '../support/webhook-receiver.ts';
import { eventually } from '../support/workers.ts';

const app = await startTestApp({ env: localWebhooks });

const send = (method: string, path: string, key: string, body?: object) =>
  app.call(method, `/api/v1${path}`, {
    key,
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  });
const data = async (path: string, key: string) => (await send('GET', path, key)).body.data;
/** The same account with both kinds of keys, each as `own` and the other as `other`. */
async function bothKeys(): Promise<[{ own: string; other: string }, { own: string; other: string }]> {
  const { id, key } = await app.account({ credits: 10_000 });
  const sandbox = await app.newKey(id, 'test');
  return [
    { own: key, other: sandbox.key },
    { own: sandbox.key, other: key },
  ];
}
const translation = { action: 'translation', target_lang: 'de', text: 'The lamp was out, and Anna waited.' };

interface Owned {
  task_id: string;
  link_id: string;
  series_id: string;
  webhook_id: string;
  delivery_id: string;
}

/** One of each, with something in it. */
async function everything(key: string): Promise<Owned> {
  const receiver = await startWebhookReceiver();
  const events = ['task.completed', 'task.chapter_ready'];
  const { webhook_id } = (await send('POST', '/webhooks', key, { url: receiver.url, events })).body.data;
  const { series_id } = (await send('POST', '/series', key, { title: 'Lamps', target_lang: 'de' })).body.data;
  await send('PUT', `/series/${series_id}/terms`, key, { terms: [{ source: 'Anna', target: 'Anne' }] });
  const { task_id } = await run(app, key, { ...translation, series_id });
  await receiver.until(2);
  const { link_id } = (await send('POST', `/tasks/${task_id}/reader-link`, key, {})).body.data;
  const [{ delivery_id }] = (await data(`/webhooks/${webhook_id}/deliveries`, key)).deliveries;
  return { task_id, link_id, series_id, webhook_id, delivery_id };
}

const correction = { source: translation.text, target: 'Die Lampe war aus.' };
const bodies: Record<string, object> = {
  'POST /api/v1/tasks/{task_id}/reader-link': {},
  'POST /api/v1/tasks/{task_id}/corrections': { corrections: [correction] },
  'PATCH /api/v1/series/{series_id}': { title: 'Mine' },
  'PUT /api/v1/series/{series_id}/terms': { terms: [{ source: 'lamp', target: 'Lampe' }] },
  'PUT /api/v1/series/{series_id}/sheet': { tense: 'present' },
  'POST /api/v1/series/{series_id}/corrections': [correction],
  'PATCH /api/v1/webhooks/{webhook_id}': { description: 'Mine' },
};

/** Everything that takes the id of something owned, from the document itself: a new route is in it by itself. */
function routesWithId(): { method: string; path: string }[] {
  const { paths } = openapiDocument(app.application.server) as { paths: Record<string, object> };
  return Object.entries(paths)
    .filter(([path]) => /\{(task|series|webhook)_id\}/.test(path))
    .flatMap(([path, operations]) => Object.keys(operations).map((method) => ({ method: method.toUpperCase(), path })));
}

/** With one of each for both kinds of keys, for tests that look at nothing else of the account. */
const [live, sandbox] = await bothKeys();
const owners = [
  { ...live, owned: await everything(live.own) },
  { ...sandbox, owned: await everything(sandbox.own) },
];

test("the other kind of key's tasks, series and webhooks are unknown to every route", async () => {
  const routes = routesWithId();
  assert.ok(routes.length >= 26, `${routes.length} routes`);
  for (const { own, other, owned } of owners) {
    const shown = () =>
      Promise.all(
        [`/tasks/${owned.task_id}`, `/series/${owned.series_id}`, `/webhooks/${owned.webhook_id}`].map((path) =>
          data(path, own),
        ),
      );
    const before = await shown();
    for (const { method, path } of routes) {
      const route = `${method} ${path}`;
      const ask = (ids: Partial<Owned>) =>
        app.call(method, filled(path, { ...owned, ...ids }), {
          key: other,
          ...(bodies[route]
            ? { body: JSON.stringify(bodies[route]), headers: { 'content-type': 'application/json' } }
            : {}),
        });
      const unknown = { task_id: newId('task'), series_id: newId('ser'), webhook_id: newId('whk') };
      const [refused, never] = [await ask({}), await ask(unknown)];
      assertError(refused, 404, 'NOT_FOUND', {}, route);
      assert.equal(refused.body.error.message, never.body.error.message, route);
    }
    assert.deepEqual(await shown(), before, 'nothing was changed');
  }
});

function filled(path: string, values: Owned): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ({ ...values, index: '1', source: 'Anna' })[name] ?? name);
}

test('lists, the feed and the ledger show what is of the same kind of key', async () => {
  const both = await bothKeys();
  const made = [];
  for (const { own } of both) made.push(await everything(own));
  for (const [i, { own, other }] of both.entries()) {
    const ids = made[i] as Owned;
    const { tasks } = await data('/tasks', own);
    assert.deepEqual(
      tasks.map(({ task_id }: Owned) => task_id),
      [ids.task_id],
    );
    const { series } = await data('/series', own);
    assert.deepEqual(
      series.map(({ series_id }: Owned) => series_id),
      [ids.series_id],
    );
    const { webhooks } = await data('/webhooks', own);
    assert.deepEqual(
      webhooks.map(({ webhook_id, livemode }: Owned & { livemode?: boolean }) => [webhook_id, livemode]),
      [[ids.webhook_id, i === 0 ? undefined : false]],
    );
    const { events, next_after } = await data('/events?types=task.completed,task.chapter_ready', own);
    assert.deepEqual(
      events.map(({ type, data: { task_id } }: { type: string; data: Owned }) => [type, task_id]),
      [
        ['task.chapter_ready', ids.task_id],
        ['task.completed', ids.task_id],
      ],
    );
    assert.equal(next_after, events[1].id);
    assert.deepEqual(await data('/events?after=latest', own), { events: [], next_after });
    assertError(await send('GET', `/events?after=${next_after}`, other), 400, 'BAD_REQUEST', {
      reason: 'UNKNOWN_EVENT',
    });
    const { lines } = await data('/usage/ledger', own);
    const kinds = lines.map(({ kind }: { kind: string }) => kind);
    assert.deepEqual([...new Set(kinds)].sort(), i === 0 ? ['charge', 'hold', 'top_up'] : ['top_up']);
  }
});

test('a webhook receives the events of its own kind of key alone, and each kind has ten places', async () => {
  const both = await bothKeys();
  const receivers = [await startWebhookReceiver(), await startWebhookReceiver()];
  for (const [i, { own }] of both.entries()) {
    const order = { url: receivers[i]?.url as string, events: ['task.completed'] };
    assert.equal((await send('POST', '/webhooks', own, order)).status, 201);
  }
  const tasks: string[] = [];
  for (const { own } of both) tasks.push((await run(app, own, translation)).task_id);
  for (const [i, receiver] of receivers.entries()) {
    const received = await receiver.until(1);
    assert.deepEqual(
      received.map(({ event }) => event.data.task_id),
      [tasks[i]],
    );
  }
  const [live, sandbox] = both;
  const more = { url: 'http://127.0.0.1:65000/hook', events: ['task.failed'] };
  for (let n = 1; n < 10; n++) assert.equal((await send('POST', '/webhooks', sandbox.own, more)).status, 201);
  assertError(await send('POST', '/webhooks', sandbox.own, more), 400, 'BAD_REQUEST', { reason: 'TOO_MANY_WEBHOOKS' });
  assert.equal((await send('POST', '/webhooks', live.own, more)).status, 201);
});

test('a webhook of a test key that ends is told to test keys', async () => {
  const [live, sandbox] = await bothKeys();
  const receiver = await startWebhookReceiver();
  receiver.answer = (response) => void response.writeHead(410).end();
  await send('POST', '/webhooks', sandbox.own, { url: receiver.url, events: ['task.completed'] });
  await run(app, sandbox.own, translation);
  const told = async (key: string) => (await data('/events?types=webhook.disabled', key)).events.length;
  await eventually(async () => (await told(sandbox.own)) === 1, 'the end of the webhook');
  assert.equal(await told(live.own), 0);
});

test('an order names nothing of the other kind, and a key of the order is used once by each', async () => {
  for (const { own, other, owned } of owners) {
    const { task_id, series_id } = owned;
    const estimate = await run(app, own, { action: 'token_estimate', text: translation.text });
    const { text: _text, ...order } = translation;
    for (const source_task_id of [task_id, estimate.task_id])
      assertError(await create(app, other, { ...order, source_task_id }), 404, 'NOT_FOUND');
    assertError(await create(app, other, { ...translation, series_id }), 404, 'NOT_FOUND');
    const idempotencyKey = `order-${task_id}`;
    const metadata = { external_id: idempotencyKey };
    const ids = [];
    for (const key of [own, other]) {
      const created = await create(app, key, { ...translation, metadata }, { idempotencyKey });
      assert.equal(created.headers.get('idempotent-replayed'), null);
      ids.push(created.body.data.task_id);
    }
    for (const [i, key] of [own, other].entries()) {
      const { tasks } = await data(`/tasks?external_id=${idempotencyKey}`, key);
      assert.deepEqual(
        tasks.map(({ task_id: id }: Owned) => id),
        [ids[i]],
      );
    }
  }
});
