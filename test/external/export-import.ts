/**
 * An installation moves from the embedded database and local files to PostgreSQL 15 and S3 in the middle of its work.
 * Needs PostgreSQL 15 and the S3 server.
 */
import { strict as assert } from 'node:assert';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import pg from 'pg';
import { assertBooksBalance } from '../support/audit.ts';
import { Load } from '../support/backup-proof.ts';
import { startInstalledPostgres } from '../support/installed-postgres.ts';
import { requirePrograms } from '../support/proof.ts';
import { startServe, toledoProcess } from '../support/toledo-process.ts';
import { eventually } from '../support/workers.ts';
import { startRadosgw } from './support/radosgw.ts';

requirePrograms({
  '/usr/lib/postgresql/15/bin/initdb': 'Debian package postgresql-15',
  dpkg: 'the S3 server is unpacked from Debian 12 packages',
});

const folder = await mkdtemp(join(tmpdir(), 'toledo-move-'));
const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
after(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

test('an installation moves to PostgreSQL 15 and S3 with its keys, books, balances and unfinished tasks', async (context) => {
  const local = { TOLEDO_DATA_DIR: join(folder, 'data'), TOLEDO_PORT: '0', TOLEDO_LOG_LEVEL: 'error' };
  const first = await startServe(local);
  cleanups.push(async () => first.child.kill('SIGTERM') && (await first.exited));
  const created = await toledoProcess(
    ['account', 'create', 'Mover', '--credits', '9000000', '--rate-limit', '99999', '--json'],
    local,
  );
  const key = JSON.parse(created.stdout).api_key;
  const load = new Load(
    { rootUrl: first.rootUrl, key, env: local },
    { partners: 2, characters: [500, 9_000], slowEvery: 4, pauseMs: 50 },
  );
  await eventually(async () => load.acknowledged.length >= 20, 'a load');
  await load.stop();
  // A move is not a backup: what came after the export would stay behind, so the service is stopped first.
  first.child.kill('SIGTERM');
  assert.equal((await first.exited).code, 0);
  const exported = await toledoProcess(['export', join(folder, 'export'), '--json'], local);
  assert.equal(exported.code, 0, exported.stderr);

  const server = await startInstalledPostgres(
    '/usr/lib/postgresql/15/bin',
    await mkdtemp(join(tmpdir(), 'toledo-pg15-')),
  );
  cleanups.push(() => server.stop());
  const gateway = await startRadosgw();
  cleanups.push(() => gateway.stop());
  const credentials = { accessKeyId: gateway.accessKey, secretAccessKey: gateway.secretKey };
  const client = new S3Client({ endpoint: gateway.endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: 'moved' }));
  client.destroy();
  const remote = {
    TOLEDO_DATA_DIR: join(folder, 'elsewhere'),
    TOLEDO_PORT: '0',
    TOLEDO_LOG_LEVEL: 'error',
    TOLEDO_DATABASE_URL: server.url,
    TOLEDO_STORAGE: `s3://moved/books?endpoint=${gateway.endpoint}`,
    AWS_ACCESS_KEY_ID: gateway.accessKey,
    AWS_SECRET_ACCESS_KEY: gateway.secretKey,
  };
  const imported = await toledoProcess(['import', join(folder, 'export'), '--json'], remote);
  assert.equal(imported.code, 0, imported.stderr);
  const { tasks, requeued, files, rows } = JSON.parse(imported.stdout);
  context.diagnostic(`${tasks.total} tasks, ${requeued} unfinished, ${rows} rows, ${files.count} files`);
  assert.ok(requeued > 0);

  const second = await startServe(remote);
  cleanups.push(async () => second.child.kill('SIGTERM') && (await second.exited));
  const database = new pg.Client({ connectionString: server.url });
  await database.connect();
  try {
    const pending = async () =>
      (await database.query("select count(*)::int as n from tasks where status = 'pending'")).rows[0].n;
    await eventually(async () => (await pending()) === 0, 'the end of every unfinished task');
    const { rows: ended } = await database.query(
      "select id from tasks where status = 'completed' and purged_at is null",
    );
    assert.ok(ended.length > 0);
    for (const { id } of ended) {
      const answer = await fetch(`${second.rootUrl}/api/v1/tasks/${id}/download`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const { download_url } = JSON.parse(await answer.text()).data;
      assert.ok(download_url.startsWith(gateway.endpoint), download_url);
      assert.equal((await fetch(download_url)).status, 200);
    }
    for (const { idempotencyKey, request, body } of load.acknowledged) {
      const again = await fetch(`${second.rootUrl}/api/v1/tasks`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': idempotencyKey,
        },
        body: request,
      });
      assert.deepEqual([again.headers.get('idempotent-replayed'), await again.text()], ['true', body]);
    }
  } finally {
    await database.end();
  }
  await assertBooksBalance(server.url);
});
