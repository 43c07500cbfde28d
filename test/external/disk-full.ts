/**
 * A full disk of the files or of the database: every answer is a success or a 503 that says when to come back, nothing
 * half-made is left, and everything goes on by itself when there is space again. Needs root on Linux.
 */
import { strict as assert } from 'node:assert';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { findRunningEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { assertBooksBalance } from '../support/audit.ts';
import { countRows } from '../support/stored.ts';
import { create, creditsOf, run, untilEnded } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { story } from '../support/texts.ts';
import { startServe, toledo } from '../support/toledo-process.ts';
import { eventually } from '../support/workers.ts';
import { mountSmallDisk, type SmallDisk } from './support/small-disk.ts';

const folder = await mkdtemp(join(tmpdir(), 'toledo-disk-full-'));
const disks: SmallDisk[] = [];
after(async () => {
  for (const disk of disks) disk.unmount();
  await rm(folder, { recursive: true, force: true });
});

function smallDisk(name: string, sizeMb: number): SmallDisk {
  const disk = mountSmallDisk(join(folder, name), sizeMb);
  disks.push(disk);
  return disk;
}

test('the disk of the files is full: 100 creates answer 503, no task or hold is half made, and all goes on when there is space', async (context) => {
  const disk = smallDisk('files', 64);
  const database = await createTestDatabase();
  const app = await startTestApp({ beside: { databaseUrl: database.url, dataDir: disk.path } });
  const { key } = await app.account({ credits: 50_000_000 });
  const done = await run(app, key, { action: 'translation', target_lang: 'de', text: story(2_000, 1) });
  const running = (await create(app, key, { action: 'translation', target_lang: 'de-x-slow', text: story(3_000, 2) }))
    .body.data.task_id;
  const before = await countRows(app);
  const sizes = [10, 3_000, 400_000];
  const counts: Record<number, number> = {};
  for (let n = 0; n < 100; n++) {
    // Down to the last byte, or just enough for the source but not for the copy that is read.
    disk.release();
    const text = story(sizes[n % sizes.length] as number, 100 + n);
    disk.fill(n % 4 === 3 ? Math.ceil(text.length * 1.5) : n % 4 === 2 ? 4096 : 0);
    const file = { content: text, fileName: 'book.txt' };
    const answer = await create(
      app,
      key,
      { action: 'translation', target_lang: 'de', estimated_chars: 500_000 },
      { file, idempotencyKey: `full-${n}` },
    );
    counts[answer.status] = (counts[answer.status] ?? 0) + 1;
    assert.ok(answer.status === 503 || answer.status === 201, `${answer.status} ${answer.text}`);
    if (answer.status === 503) {
      assert.equal(answer.body.error.code, 'UNAVAILABLE', answer.text);
      assert.ok(Number(answer.headers.get('retry-after')) >= 1);
    }
  }
  disk.fill();
  context.diagnostic(`answers by status: ${JSON.stringify(counts)}`);
  assert.ok((counts[503] ?? 0) >= 70, 'the disk was full');
  const made = counts[201] ?? 0;
  const during = await countRows(app);
  assert.equal(during['public.tasks'], (before['public.tasks'] ?? 0) + made, 'a refused create leaves no task');
  assert.equal(during['public.credit_holds'], (before['public.credit_holds'] ?? 0) + made, 'nor a hold');
  assert.equal(during['public.idempotency_keys'], (before['public.idempotency_keys'] ?? 0) + made, 'nor a key');
  for (const path of ['/usage', '/tasks', `/tasks/${done.task_id}`, `/tasks/${done.task_id}/download`])
    assert.equal((await app.call('GET', `/api/v1${path}`, { key })).status, 200, `${path} needs no space`);
  assert.equal((await app.call('GET', `/api/v1/tasks/${running}`, { key })).body.data.status, 'pending');

  disk.release();
  for (let n = 0; n < 100; n += 9) {
    const text = story(sizes[n % sizes.length] as number, 100 + n);
    const again = await create(
      app,
      key,
      { action: 'translation', target_lang: 'de', estimated_chars: 500_000 },
      { file: { content: text, fileName: 'book.txt' }, idempotencyKey: `full-${n}` },
    );
    assert.equal(again.status, 201, again.text);
    const { status } = await untilEnded(app, key, again.body.data.task_id);
    assert.equal(status, 'completed');
  }
  assert.equal((await untilEnded(app, key, running)).status, 'completed');
  const pending = async () =>
    (await app.application.database.pool.query("select count(*)::int as n from tasks where status = 'pending'")).rows[0]
      .n;
  await eventually(async () => (await pending()) === 0, 'the end of all');
  assert.equal((await creditsOf(app, key)).reserved, 0);
  assert.deepEqual(await readdir(join(disk.path, 'files/incoming')), [], 'no half-written file stays');
  await assertBooksBalance(database.url);
});

test('the disk of the database is full: only 201 and 503, every acknowledged task is there and finishes when there is space', async (context) => {
  const dataDir = join(folder, 'service');
  await mkdir(dataDir);
  const disk = smallDisk('service/postgres', 160);
  const env = { TOLEDO_DATA_DIR: dataDir, TOLEDO_PORT: '0', TOLEDO_LOG_LEVEL: 'error' };
  const serve = await startServe(env);
  try {
    const options = ['--credits', '900000000', '--rate-limit', '100000', '--json'];
    const key = JSON.parse((await toledo(['account', 'create', 'Full', ...options], env)).stdout).api_key;
    const post = async (n: number) => {
      const text = story(40_000, 3_000 + n);
      return await fetch(`${serve.rootUrl}/api/v1/tasks`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': `database-full-${n}`,
        },
        body: JSON.stringify({ action: 'translation', target_lang: 'de', text }),
        signal: AbortSignal.timeout(60_000),
      });
    };
    assert.equal((await post(0)).status, 201);
    const acknowledged = new Map<string, string>();
    const counts: Record<string, number> = {};
    disk.fill();
    // The log is written into space that was reserved before, so it takes a while until the server notices.
    const started = Date.now();
    for (let n = 1; n < 400 && (counts['503'] ?? 0) < 60 && Date.now() - started < 120_000; n++) {
      const answer = await post(n);
      const text = await answer.text();
      counts[answer.status] = (counts[answer.status] ?? 0) + 1;
      assert.ok(answer.status === 201 || answer.status === 503, `${answer.status} ${text}`);
      const body = JSON.parse(text);
      if (answer.status === 201) acknowledged.set(body.data.task_id, `database-full-${n}`);
      else {
        assert.equal(body.error.code, 'UNAVAILABLE');
        assert.ok(Number(answer.headers.get('retry-after')) >= 1);
      }
      if (n % 10 !== 0) continue;
      // A new segment of the log finds no space at all: the server gives up and is started again, in vain at first.
      await switchLog(dataDir);
      disk.fill();
    }
    const restarts = serve.stderr().match(/the embedded database went away/g)?.length ?? 0;
    context.diagnostic(
      `answers by status while full: ${JSON.stringify(counts)}; the server went away and was started again, ${restarts} attempts; ${disk.freeBytes()} bytes free`,
    );
    assert.ok((counts['503'] ?? 0) > 0, 'the database noticed that its disk is full');
    disk.release();
    const freed = Date.now();
    await eventually(async () => (await fetch(`${serve.rootUrl}/readyz`)).status === 200, 'ready again');
    await eventually(async () => (await post(1_000)).status === 201, 'a create');
    context.diagnostic(`a create succeeds ${Date.now() - freed} ms after space came back`);
    const url = (await findRunningEmbeddedPostgres(dataDir))?.url as string;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const { rows } = await client.query('select id from tasks');
      const present = new Set(rows.map((row) => row.id));
      assert.deepEqual(
        [...acknowledged.keys()].filter((id) => !present.has(id)),
        [],
        'acknowledged, so kept',
      );
      const pending = async () =>
        (await client.query("select count(*)::int as n from tasks where status = 'pending'")).rows[0].n;
      await eventually(async () => (await pending()) === 0, 'the end of every task');
      const { rows: ended } = await client.query('select status, count(*)::int as n from tasks group by 1');
      assert.deepEqual(
        ended.map((row) => row.status),
        ['completed'],
        JSON.stringify(ended),
      );
      const { rows: balances } = await client.query('select sum(reserved)::int as reserved from credit_balances');
      assert.equal(balances[0].reserved, 0, 'no hold stays');
    } finally {
      await client.end();
    }
    await assertBooksBalance(url);
  } finally {
    disk.release();
    serve.child.kill('SIGTERM');
    await serve.exited;
  }
});

/** Whatever comes of it: the server may be away already. */
async function switchLog(dataDir: string): Promise<void> {
  const found = await findRunningEmbeddedPostgres(dataDir).catch(() => undefined);
  if (!found) return;
  const client = new pg.Client({ connectionString: found.url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    for (let n = 0; n < 20; n++) {
      await client.query("select pg_logical_emit_message(false, 'full', repeat('x', 100000))");
      await client.query('select pg_switch_wal()');
    }
  } catch {
    // That is what this is for.
  } finally {
    await client.end().catch(() => {});
  }
}
