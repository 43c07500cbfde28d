import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { verifyWebhook } from '../../client/src/index.ts';
import { checkBackup } from '../../src/backup/check-backup.ts';
import { recordEvent } from '../../src/events/record-event.ts';
import { createLog } from '../../src/platform/log.ts';
import { migrateIn } from '../../src/platform/migrate.ts';
import { openDatabase } from '../../src/platform/postgres.ts';
import { FileStorage } from '../../src/platform/storage/file-storage.ts';
import { assertBooksBalance } from '../support/audit.ts';
import { create, creditsOf, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { administer, databaseUrl, serverUrlVariable } from '../support/test-database.ts';
import { story } from '../support/texts.ts';
import { type CommandResult, toledo } from '../support/toledo-process.ts';
import { localWebhooks, startWebhookReceiver } from '../support/webhook-receiver.ts';
import { eventually } from '../support/workers.ts';

const app = await startTestApp({ own: true });
const folder = await mkdtemp(join(tmpdir(), 'toledo-backup-test-'));
const madeDatabases: string[] = [];
after(async () => {
  await rm(folder, { recursive: true, force: true });
  for (const name of madeDatabases)
    await administer(process.env[serverUrlVariable] as string, `drop database ${name} with (force)`);
});
const env = { TOLEDO_DATA_DIR: app.dataDir, TOLEDO_DATABASE_URL: app.databaseUrl };
const { key } = await app.account({ credits: 10_000_000 });

/** A whole backup, for the tests that look at one or damage a copy of it. */
const whole = join(folder, 'whole');
let series_id = '';
before(async () => {
  const body = JSON.stringify({ title: 'A series', source_lang: 'en', target_lang: 'de' });
  const headers = { 'content-type': 'application/json' };
  series_id = (await app.call('POST', '/api/v1/series', { key, headers, body })).body.data.series_id;
  await run(app, key, { action: 'translation', series_id, text: story(400, 1) });
  const { code, stderr } = await toledo(['backup', whole], env);
  assert.equal(code, 0, stderr);
});

/** A database without any table. */
async function emptyDatabase(): Promise<string> {
  const name = `empty_${process.pid}_${madeDatabases.length}`;
  await administer(process.env[serverUrlVariable] as string, `create database ${name}`);
  madeDatabases.push(name);
  return databaseUrl(process.env[serverUrlVariable] as string, name);
}

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

function assertRefused(result: CommandResult, message: RegExp): void {
  assert.equal(result.code, 1, result.stdout);
  assert.match(result.stderr, message);
  assert.equal(result.stderr.trim().split('\n').length, 1, result.stderr);
}

test('a backup names what it holds, is readable by its owner alone, and leaves no table out', async () => {
  const path = whole;
  const modes = new Set<string>();
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    modes.add(`${entry.isDirectory() ? 'folder' : 'file'} ${(mode & 0o777).toString(8)}`);
  }
  assert.deepEqual([...modes].sort(), ['file 600', 'folder 700']);
  assert.equal((await stat(path)).mode & 0o777, 0o700);
  const manifest = JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8'));
  assert.deepEqual([manifest.audit_faults, manifest.lost_files, manifest.secret.included], [0, [], true]);
  const tables = await query(
    app.databaseUrl,
    "select tablename as name from pg_tables where schemaname = 'public' order by 1",
  );
  assert.deepEqual(
    [
      ...manifest.tables.map((table: { name: string }) => table.name),
      'account_sessions',
      'console_sessions',
      'engine_states',
      'rate_limits',
      'schema_migrations',
      'schema_migrations_lock',
    ].sort(),
    tables.map(({ name }) => name),
  );
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.includes('partial')),
    [],
  );
});

const damages: [string, RegExp, (path: string) => Promise<unknown>][] = [
  ['a changed byte', /tables\/tasks\.tsv differs/, (path) => appendFile(join(path, 'tables/tasks.tsv'), ' ')],
  ['a shortened file', /files\/\S+ differs/, async (path) => truncate(await aFile(path), 10)],
  ['a missing file', /files\/\S+ is missing/, async (path) => rm(await aFile(path))],
  ['a file too many', /tables\/more\.tsv does not belong/, (path) => writeFile(join(path, 'tables/more.tsv'), 'x')],
  ['no secret', /secret is missing/, (path) => rm(join(path, 'secret'))],
  ['no manifest', /manifest\.json is missing/, (path) => rm(join(path, 'manifest.json'))],
  ['no checksums', /is not a backup/, (path) => rm(join(path, 'SHA256SUMS'))],
  ['a lost line of checksums', /does not belong to it/, (path) => dropLine(path, /\/1-translated$/)],
  ['a lost line and its file', /1 of \d+ files not listed/, (path) => dropLine(path, /\/1-translated$/, true)],
  [
    'a path that leads outside',
    /not readable/,
    (path) => appendFile(join(path, 'SHA256SUMS'), `${'0'.repeat(64)}  ../x\n`),
  ],
  ['an unfinished backup', /is not a backup/, (path) => rm(path, { recursive: true })],
];
for (const [name, message, damage] of damages) {
  test(`a backup with ${name} is refused`, async () => {
    const path = join(folder, 'damaged');
    await cp(whole, path, { recursive: true });
    await damage(path);
    await assert.rejects(checkBackup(path, new AbortController().signal), { name: 'BackupFault', message });
    await rm(path, { recursive: true, force: true });
  });
}

async function aFile(path: string): Promise<string> {
  const [task] = (await readdir(join(path, 'files/outputs'))).sort();
  const outputs = join(path, 'files/outputs', task as string);
  const [first] = (await readdir(outputs)).sort();
  return join(outputs, first as string);
}

async function dropLine(path: string, pattern: RegExp, andFile = false): Promise<void> {
  const lines = (await readFile(join(path, 'SHA256SUMS'), 'utf8')).trimEnd().split('\n');
  const at = lines.findIndex((line) => pattern.test(line));
  const [dropped] = lines.splice(at, 1);
  await writeFile(join(path, 'SHA256SUMS'), `${lines.join('\n')}\n`);
  if (andFile) await rm(join(path, (dropped as string).slice(66)));
}

test('restore refuses a folder in use, a damaged backup and an external database, and changes nothing', async () => {
  const path = whole;
  const target = join(folder, 'in-use');
  await mkdir(target);
  await writeFile(join(target, 'novel.txt'), 'mine');
  assertRefused(await toledo(['restore', path], { TOLEDO_DATA_DIR: target }), /is not empty \(it has novel\.txt\)/);
  assert.deepEqual(await readdir(target), ['novel.txt']);
  assertRefused(await toledo(['restore', path], env), /use "npx toledo import"/);
  assertRefused(
    await toledo(['restore', join(folder, 'nowhere')], { TOLEDO_DATA_DIR: join(folder, 'x') }),
    /is not a backup/,
  );
  assertRefused(await toledo(['backup', path], env), /exists already/);
  assertRefused(
    await toledo(['backup', join(folder, 'y')], { TOLEDO_DATA_DIR: join(folder, 'z') }),
    /There is nothing to back up/,
  );
  assertRefused(
    await toledo(['backup', join(folder, 'not', 'there')], env),
    /not does not exist; nothing was backed up/,
  );
  const checked = await toledo(['restore', path, '--check'], {});
  assert.match(checked.stdout, /is whole: \d+ tasks/);
});

test('a task that its owner deletes while the backup runs is restored as deleted, its hold settled', async () => {
  const beside = await startTestApp({ own: true, role: 'api' });
  const partner = await beside.account({ credits: 100_000 });
  const { task_id } = (
    await create(beside, partner.key, { action: 'translation', target_lang: 'de', text: story(20_000, 77) })
  ).body.data;
  const storage = await FileStorage.open(join(beside.dataDir, 'files'));
  // The first half of a deletion; the second follows when the rows have been copied.
  await storage.delete(`sources/${task_id}`);
  const path = join(folder, 'deleted');
  const taking = toledo(['backup', path, '--json'], {
    TOLEDO_DATA_DIR: beside.dataDir,
    TOLEDO_DATABASE_URL: beside.databaseUrl,
  });
  const begun = async () => {
    const draft = (await readdir(folder)).find((name) => name.startsWith('deleted.partial-'));
    return draft !== undefined && (await readdir(join(folder, draft, 'tables')).catch(() => [])).length >= 11;
  };
  await eventually(begun, 'the copy of the rows');
  assert.equal((await beside.call('DELETE', `/api/v1/tasks/${task_id}`, { key: partner.key })).status, 200);
  const taken = await taking;
  assert.equal(taken.code, 0, taken.stderr);
  assert.deepEqual(JSON.parse(taken.stdout).deleted_tasks, [task_id]);
  assert.match(await readFile(join(path, 'tables/tasks.tsv'), 'utf8'), /\tpending\t/);

  const url = await emptyDatabase();
  const target = { TOLEDO_DATA_DIR: join(folder, 'after-deletion'), TOLEDO_DATABASE_URL: url };
  const imported = await toledo(['import', path, '--json'], target);
  assert.equal(imported.code, 0, imported.stderr);
  assert.equal(JSON.parse(imported.stdout).requeued, 0);
  const [task] = await query(url, 'select status, purged_at is not null as purged, credits_charged::int from tasks');
  assert.deepEqual(task, { status: 'cancelled', purged: true, credits_charged: 0 });
  const [balance] = await query(url, 'select available::int, reserved::int from credit_balances');
  assert.deepEqual(balance, { available: 100_000, reserved: 0 });
  await assertBooksBalance(url);
});

test('an export is imported into another database and storage: same rows, same files, ids go on, and only once', async () => {
  const done = await run(app, key, { action: 'translation', series_id, text: story(500, 5) });
  const sheet = { tense: 'past', voices: [{ name: 'Captain Hale', voice: 'counts aloud' }] };
  const headers = { 'content-type': 'application/json' };
  await app.call('PUT', `/api/v1/series/${series_id}/sheet`, { key, headers, body: JSON.stringify(sheet) });
  const path = join(folder, 'export');
  assert.equal((await toledo(['export', path], env)).code, 0);
  const url = await emptyDatabase();
  const target = { TOLEDO_DATA_DIR: join(folder, 'imported'), TOLEDO_DATABASE_URL: url };
  const imported = await toledo(['import', path], target);
  assert.equal(imported.code, 0, imported.stderr);
  assert.match(imported.stdout, /audit\.sql found 0 faults/);
  await assertBooksBalance(url);

  const moved = await startTestApp({ beside: { databaseUrl: url, dataDir: target.TOLEDO_DATA_DIR } });
  assert.deepEqual(await creditsOf(moved, key), await creditsOf(app, key));
  const { download_url } = (await moved.call('GET', `/api/v1/tasks/${done.task_id}/download`, { key })).body.data;
  assert.equal((await fetch(download_url)).status, 200);
  const remembered = await run(moved, key, { action: 'translation', series_id, source_task_id: done.task_id });
  assert.equal(remembered.credits_charged, 0, 'the series has moved with its memory');
  assert.deepEqual((await moved.call('GET', `/api/v1/series/${series_id}/sheet`, { key })).body.data, { sheet });
  // The ledger's numbers go on after the last one.
  const next = await run(moved, key, { action: 'translation', target_lang: 'de', text: story(300, 6) });
  assert.equal(next.status, 'completed');
  const [ledger] = await query(
    url,
    `select max(id) = (select id from credit_transfers where task_id = '${next.task_id}' and kind = 'charge') as last from credit_transfers`,
  );
  assert.equal(ledger?.last, true);

  assertRefused(await toledo(['import', path], target), /The database is not empty: accounts has rows/);
  const other = { ...target, TOLEDO_DATABASE_URL: await emptyDatabase(), TOLEDO_DATA_DIR: join(folder, 'third') };
  const foreign = await FileStorage.open(join(folder, 'third', 'files'));
  await foreign.put(
    'sources/task_of_somebody_else',
    (async function* () {
      yield Buffer.from('text');
    })(),
  );
  assertRefused(await toledo(['import', path], other), /holds files of another installation/);
  assert.deepEqual(await Array.fromAsync(foreign.list()), ['sources/task_of_somebody_else']);
  assert.deepEqual(
    await query(other.TOLEDO_DATABASE_URL, "select tablename from pg_tables where schemaname in ('public', 'pgboss')"),
    [],
    'a refused import leaves an empty database empty',
  );
  assertRefused(
    await toledo(['import', path], { ...other, TOLEDO_SECRET: 'another secret that has enough characters' }),
    /TOLEDO_SECRET is not the secret of the backup/,
  );
});

test('a file that is damaged in the installation is told, kept as it is, and stops neither backup nor import', async () => {
  const task = await run(app, key, { action: 'translation', target_lang: 'de', text: story(300, 9) });
  const storage = await FileStorage.open(join(app.dataDir, 'files'));
  const damaged = `outputs/${task.task_id}/1-translated`;
  await storage.put(
    damaged,
    (async function* () {
      yield Buffer.from('not what was written');
    })(),
  );
  const path = join(folder, 'with-damage');
  const taken = await toledo(['backup', path, '--json'], env);
  assert.equal(taken.code, 0);
  assert.match(taken.stderr, /1 files were missing or damaged in the installation itself/);
  assert.deepEqual(JSON.parse(taken.stdout).lost_files, [{ key: damaged, task_id: task.task_id, reason: 'damaged' }]);
  const target = { TOLEDO_DATA_DIR: join(folder, 'damage-kept'), TOLEDO_DATABASE_URL: await emptyDatabase() };
  const imported = await toledo(['import', path], target);
  assert.equal(imported.code, 0, imported.stderr);
  const copy = await FileStorage.open(join(folder, 'damage-kept', 'files'));
  assert.equal((await copy.head(damaged))?.sizeBytes, 20);
});

test('a backup of an older schema is loaded and brought up to date; one of a newer release is refused', async () => {
  const old = await emptyDatabase();
  const database = openDatabase({ url: old, poolSize: 1, log: createLog('silent'), applicationName: 'test' });
  await database.db.transaction().execute((trx) => migrateIn(trx, '0004_credit_previews'));
  await database.close();
  await query(
    old,
    `insert into accounts (id, name, name_key, rate_limit_per_minute) values ('acc_${'0'.repeat(26)}', 'Old', 'old', 60)`,
  );
  const source = { TOLEDO_DATA_DIR: app.dataDir, TOLEDO_DATABASE_URL: old };
  const path = join(folder, 'old');
  const taken = await toledo(['backup', path, '--json'], source);
  assert.equal(JSON.parse(taken.stdout).schema, '0004_credit_previews', 'a backup brings nothing up to date');
  const url = await emptyDatabase();
  const target = { TOLEDO_DATA_DIR: join(folder, 'newer'), TOLEDO_DATABASE_URL: url };
  const imported = await toledo(['import', path], target);
  assert.equal(imported.code, 0, imported.stderr);
  assert.match((await toledo(['account', 'list'], target)).stdout, /Old/);
  assert.equal((await query(url, "select from schema_migrations where name = '0005_traces'")).length, 1);

  const manifest = await readFile(join(path, 'manifest.json'), 'utf8');
  await writeFile(join(path, 'manifest.json'), manifest.replace('0004_credit_previews', '9999_future'));
  const sum = createHash('sha256')
    .update(await readFile(join(path, 'manifest.json')))
    .digest('hex');
  const sums = await readFile(join(path, 'SHA256SUMS'), 'utf8');
  await writeFile(join(path, 'SHA256SUMS'), sums.replace(/^[0-9a-f]{64} {2}manifest\.json$/m, `${sum}  manifest.json`));
  const again = { ...target, TOLEDO_DATABASE_URL: await emptyDatabase() };
  assertRefused(await toledo(['import', path], again), /made by a newer release/);
});

test('what was still to be delivered to a webhook is delivered by the restored service, signed with the secret of before', async () => {
  const receiver = await startWebhookReceiver();
  const before = await startTestApp({ env: localWebhooks, role: 'api' });
  const partner = await before.account();
  const made = await before.call('POST', '/api/v1/webhooks', {
    key: partner.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: receiver.url, events: ['task.completed'] }),
  });
  const { database, queue } = before.application;
  await database.db
    .transaction()
    .execute((trx) =>
      recordEvent(trx, queue, { accountId: partner.id, sandbox: false, type: 'task.completed', data: { number: 1 } }),
    );
  const path = join(folder, 'with-webhooks');
  const source = { TOLEDO_DATA_DIR: before.dataDir, TOLEDO_DATABASE_URL: before.databaseUrl };
  assert.equal((await toledo(['backup', path], source)).code, 0);
  const target = { dataDir: join(folder, 'restored-webhooks'), databaseUrl: await emptyDatabase() };
  const restored = await toledo(['import', path], {
    TOLEDO_DATA_DIR: target.dataDir,
    TOLEDO_DATABASE_URL: target.databaseUrl,
  });
  assert.equal(restored.code, 0, restored.stderr);
  await startTestApp({ env: localWebhooks, beside: target });
  const [delivered] = await receiver.until(1);
  assert.ok(delivered);
  const event = await verifyWebhook(delivered.body, delivered.headers as Record<string, string>, made.body.data.secret);
  assert.deepEqual([event.type, event.data], ['task.completed', { number: 1 }]);
});
