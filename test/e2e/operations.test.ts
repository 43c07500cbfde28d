import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { create, run, until, untilEnded } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { longStory, story } from '../support/texts.ts';
import { eventually } from '../support/workers.ts';

const app = await startTestApp({ own: true });

/** The sum of a counter over all its labels, or over those that match. */
async function counter(name: string, labels = ''): Promise<number> {
  const text = await (await fetch(`${app.rootUrl}/metrics`)).text();
  return [...text.matchAll(new RegExp(`^${name}(?:\\{([^}]*)\\})? (\\S+)$`, 'gm'))]
    .filter(([, given = '']) => given.includes(labels))
    .reduce((sum, [, , value]) => sum + Number(value), 0);
}

test('the counters say what the ledger says: created, ended each way, and charged, to the last credit', async () => {
  const { key } = await app.account({ credits: 1_000_000 });
  const { key: poor } = await app.account({ credits: 1 });
  const text = story(2_000, 5);
  const fields = { action: 'translation', target_lang: 'de', text };
  const done = await run(app, key, fields, { idempotencyKey: 'a' });
  await create(app, key, fields, { idempotencyKey: 'a' });
  await run(app, key, { action: 'token_estimate', text });
  await run(app, key, { ...fields, target_lang: 'de-x-fail' });
  await create(app, poor, fields);
  await Promise.all(
    ['POST', 'DELETE'].map(async (end) => {
      const slow = { ...fields, target_lang: 'fr-x-slow', text: longStory(end.length) };
      const { task_id } = (await create(app, key, slow)).body.data;
      await until(app, key, task_id, (task) => task.progress > 0.1);
      await app.call(end, `/api/v1/tasks/${task_id}${end === 'POST' ? '/cancel' : ''}`, { key });
      assert.equal((await untilEnded(app, key, task_id)).status, 'cancelled');
    }),
  );
  const { rows } = await app.application.database.pool.query(
    `select (select count(*)::int from tasks) as created,
       (select count(*)::int from tasks where status = 'completed') as completed,
       (select count(*)::int from tasks where status = 'failed') as failed,
       (select count(*)::int from tasks where status = 'cancelled') as cancelled,
       (select coalesce(sum(amount), 0)::int from credit_transfers where kind = 'charge') as charged`,
  );
  assert.deepEqual(
    {
      created: await counter('toledo_tasks_created_total'),
      completed: await counter('toledo_tasks_ended_total', 'status="completed"'),
      failed: await counter('toledo_tasks_ended_total', 'status="failed"'),
      cancelled: await counter('toledo_tasks_ended_total', 'status="cancelled"'),
      charged: await counter('toledo_credits_charged_total'),
    },
    rows[0],
  );
  assert.ok(rows[0].cancelled === 2 && rows[0].charged > done.credits_charged, JSON.stringify(rows[0]));
});

test('while the database is away: alive 200, ready 503, both without a key and without a limit; then ready again', async (context) => {
  const door = await openDoor(app.databaseUrl);
  const api = await startTestApp({
    beside: { databaseUrl: door.url, dataDir: app.dataDir },
    role: 'api',
    env: { TOLEDO_LOG_LEVEL: 'fatal' },
  });
  // After the application, which needs it to stop.
  context.after(() => door.close());
  const { key } = await app.account();
  const ask = async (path: string, headers = {}) => {
    const response = await fetch(api.rootUrl + path, { headers });
    await response.text();
    return { status: response.status, retryAfter: response.headers.get('retry-after') };
  };
  assert.equal((await ask('/readyz')).status, 200);
  await door.close();
  const answers = await Promise.all(
    Array.from({ length: 100 }, async () => [await ask('/healthz'), await ask('/readyz')] as const),
  );
  for (const [alive, ready] of answers) {
    assert.equal(alive.status, 200);
    assert.equal(ready.status, 503);
  }
  const refused = await ask('/api/v1/usage', { authorization: `Bearer ${key}` });
  assert.equal(refused.status, 503);
  assert.match(refused.retryAfter ?? '', /^[1-9]\d*$/);
  assert.equal((await ask('/metrics')).status, 200, 'the counters can be read all the same');
  await door.open();
  await eventually(async () => (await ask('/readyz')).status === 200, 'ready again');
});

/** A way to the database that can be shut: connections through it are reset, and new ones refused. */
async function openDoor(databaseUrl: string) {
  const direct = new URL(databaseUrl);
  const [folder, number] = [direct.searchParams.get('host'), direct.searchParams.get('port')];
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const database = folder
      ? connect(join(folder, `.s.PGSQL.${number}`))
      : connect(Number(direct.port), direct.hostname);
    for (const [socket, other] of [[client, database] as const, [database, client] as const]) {
      open.add(socket);
      socket.on('error', () => {}).once('close', () => other.destroy());
      socket.pipe(other);
    }
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const url = new URL(databaseUrl);
  url.search = '';
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    open: () => listen(port),
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
