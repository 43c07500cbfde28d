import { strict as assert } from 'node:assert';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createSignInCode } from '../../src/operators/console-session-store.ts';
import { reportUsage } from '../../src/operators/usage-report.ts';
import { startSimulatedEngineApp } from '../support/simulated-engine-app.ts';
import { create, run, untilEnded } from '../support/task-client.ts';
import { toledo } from '../support/toledo-process.ts';
import { eventually } from '../support/workers.ts';

const paragraph = 'The lamp on the quay was out. Nobody had lit it since Monday, and Corwin knew why.';
const { app, servers } = await startSimulatedEngineApp({});
const env = {
  TOLEDO_DATA_DIR: app.dataDir,
  TOLEDO_DATABASE_URL: app.databaseUrl,
  TOLEDO_ENGINE: 'openai-compatible',
  TOLEDO_ENGINE_BASE_URL: servers[0]?.url ?? '',
  TOLEDO_ENGINE_MODEL: 'simulated',
};
const partner = await app.account({ credits: 1_000_000 });
const command = (...args: string[]) => toledo(args, env);
/** Calls are counted in the process and written every few seconds. */
const untilCounted = (accountId: string) =>
  eventually(async () => (await rowsOf('engine_usage', 'account_id', accountId)) > 0, 'the calls');
async function rowsOf(table: string, column: string, id: string, condition = 'true'): Promise<number> {
  const { rows } = await app.application.database.pool.query(
    `select count(*)::int as n from ${table} where ${column} = $1 and ${condition}`,
    [id],
  );
  return rows[0].n;
}
const json = async (...args: string[]) => JSON.parse((await command(...args, '--json')).stdout);

test('"task show" tells stages, attempts, repairs, tokens and faults by kind of one task', async () => {
  servers[0]?.configure({ script: ['ok', 'server-503', 'echo'] });
  const task = await run(app, partner.key, {
    action: 'translation',
    source_lang: 'en',
    target_lang: 'de',
    text: Array.from({ length: 6 }, (_, n) => `${n}. ${paragraph}`).join('\n\n'),
  });
  assert.equal(task.status, 'completed');
  // Calls are counted in the process and written every few seconds.
  const isFailedCallCounted = () => rowsOf('engine_usage', 'task_id', task.task_id, 'failed_calls > 0');
  await eventually(async () => (await isFailedCallCounted()) > 0, 'the failed call');
  const shown = await json('task', 'show', task.task_id);
  // The last stage is written with the end when there is little to do in it.
  const [taken, translating] = shown.log.map((line: { text: string }) => line.text);
  assert.match(taken, /^taken by \S+ \d+$/);
  assert.equal(translating, 'translating');
  assert.ok(shown.log.every((line: { attempt: number; level: string }) => line.attempt === 1 && line.level === 'info'));
  assert.ok(shown.repairs.calls >= 2, JSON.stringify(shown.repairs));
  assert.ok(shown.repairs.retried >= 1, 'the echo was answered again');
  const [engine] = shown.engines;
  assert.equal(engine.faults.overloaded ?? engine.faults.transport, 1, JSON.stringify(engine));
  assert.ok(engine.input_tokens > 0 && engine.output_tokens > 0);
  const { stdout } = await command('task', 'show', task.task_id);
  for (const words of [/Repairs +calls \d/, /Failed calls simulated-1: /, /LOGGED +ATTEMPT/, /credits charged: /])
    assert.match(stdout, words);
  await app.call('DELETE', `/api/v1/tasks/${task.task_id}`, { key: partner.key });
  const purged = await json('task', 'show', task.task_id);
  assert.deepEqual([purged.log, purged.repairs], [[], {}], 'with the text goes what may quote it');
  // The last calls of a task may be written only now.
  assert.ok(purged.engines[0].calls >= engine.calls, 'what it cost stays');
});

test('a task that waits for an engine says so once per attempt, and at most 200 lines of it are kept', async () => {
  servers[0]?.configure({ outage: 'refused-connection' });
  const fields = { action: 'translation', source_lang: 'en', target_lang: 'de', text: paragraph };
  const made = await app.call('POST', '/api/v1/tasks', {
    key: partner.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  });
  const taskId = made.body.data.task_id as string;
  const waits = async () => (await rowsOf('task_log', 'task_id', taskId, `level = 'warn'`)) > 0;
  await eventually(waits, 'the fault');
  const { log } = await json('task', 'show', taskId);
  assert.match(log.at(-1).text, /^no engine answers; the task waits \(.+\)$/);
  await app.application.database.pool.query(
    `insert into task_log (task_id, attempt, level, text) select $1, 1, 'info', 'line ' || n from generate_series(1, 300) n`,
    [taskId],
  );
  await command('task', 'requeue', taskId);
  await eventually(async () => (await rowsOf('task_log', 'task_id', taskId)) <= 201, 'the next fault');
  servers[0]?.configure({ outage: undefined });
  assert.match((await command('task', 'cancel', taskId)).stdout, /is cancelled; 0 credits/);
  const changes = await json('audit', 'list', '--account', partner.id);
  assert.deepEqual(changes.map((entry: { action: string }) => entry.action).slice(0, 2), [
    'task.cancel',
    'task.requeue',
  ]);
  assert.equal((await command('task', 'cancel', taskId)).code, 1);
  assert.equal((await json('audit', 'list', '--account', partner.id)).length, changes.length, 'a refused one is not');
});

test('"engine list" names model, revision and languages; "engine test" makes a call that the audit log knows', async () => {
  const { engines } = await json('engine', 'list');
  assert.equal(engines[0].kind, 'openai-compatible');
  assert.equal(engines[0].model, 'simulated');
  assert.match((await command('engine', 'list')).stdout, /ENGINE +KIND +MODEL/);
  const [finding] = await json('engine', 'test');
  assert.deepEqual([finding.engine, finding.ok], [engines[0].name, true]);
  servers[0]?.configure({ outage: 'server-500' });
  const failing = await command('engine', 'test', engines[0].name);
  servers[0]?.configure({ outage: undefined });
  assert.equal(failing.code, 1);
  assert.match(failing.stdout, /WRONG/);
  assert.equal((await command('engine', 'test', 'nobody')).code, 1);
  const entries = (await json('audit', 'list')).filter((entry: { action: string }) => entry.action === 'engine.test');
  assert.deepEqual(
    entries.map((entry: { details: { ok: boolean } }) => entry.details.ok),
    [false, true],
  );
});

test('"usage report" adds up what was sold and what engines used, in JSON, as a table and as CSV', async () => {
  const name = '=cmd|"calc", and son';
  const created = await json('account', 'create', name, '--credits', '5000', '--rate-limit', '9000');
  const task = await run(app, created.api_key, {
    action: 'translation',
    source_lang: 'en',
    target_lang: 'fr',
    text: paragraph,
  });
  const day = new Date().toISOString().slice(0, 10);
  const report = await json('usage', 'report', '--account', created.account_id, '--by', 'day,account,action,pair');
  assert.deepEqual(report.lines, [
    {
      day,
      account_id: created.account_id,
      account_name: name,
      action: 'translation',
      source_lang: 'en',
      target_lang: 'fr',
      completed: 1,
      failed: 0,
      cancelled: 0,
      characters: task.char_count,
      credits: task.credits_charged,
    },
  ]);
  await untilCounted(created.account_id);
  const [tokens] = (await json('usage', 'report', '--account', created.account_id)).engines;
  assert.ok(tokens.calls >= 1 && tokens.input_tokens > 0 && tokens.output_tokens > 0);
  const csv = (await command('usage', 'report', '--account', created.account_id, '--by', 'account', '--csv')).stdout;
  assert.equal(
    csv,
    `account_id,account_name,completed,failed,cancelled,characters,credits\r\n${created.account_id},"'=cmd|""calc"", and son",1,0,0,${task.char_count},${task.credits_charged}\r\n`,
  );
  assert.match((await command('usage', 'report', '--by', 'day')).stdout, /DAY +COMPLETED/);
  assert.equal((await command('usage', 'report', '--by', 'colour')).code, 1);
  const { db } = app.application.database;
  for (const wrong of [{ from: '2026-02-30' }, { from: '2020-01-01', to: '2026-01-01' }])
    await assert.rejects(reportUsage(db, wrong, 10), { code: 'BAD_REQUEST' });
});

test('while an engine is down its task says why it waits, and every page of the console says it', async () => {
  servers[0]?.configure({ outage: 'server-503' });
  const { id, key } = await app.account({ credits: 10_000 });
  const order = { action: 'translation', source_lang: 'en', target_lang: 'de', text: `${paragraph} It stays dark.` };
  const { task_id } = (await create(app, key, order)).body.data;
  const detailNow = async () =>
    (await app.call('GET', `/api/v1/tasks/${task_id}`, { key })).body.data.stage_detail?.code;
  await eventually(async () => (await detailNow()) === 'ENGINE_UNAVAILABLE', 'the reason of the wait');
  const signIn = `${app.rootUrl}/console/sign-in?code=${await createSignInCode(app.application.database.db)}`;
  const entered = await fetch(signIn, { redirect: 'manual' });
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  for (const path of ['/tasks', `/accounts/${id}`, '/audit']) {
    const page = await (await fetch(`${app.rootUrl}/console${path}`, { headers: { cookie } })).text();
    assert.match(page, /role="alert"><p>simulated-1 is down; its tasks wait/, path);
  }
  servers[0]?.configure({ outage: undefined });
  const task = await untilEnded(app, key, task_id);
  assert.equal(task.status, 'completed');
  assert.equal(task.stage_detail, undefined);
});

test('"usage --cost" adds up what engines cost on each day, for each account', async () => {
  const { id } = await app.account();
  await app.application.database.pool.query(
    `insert into engine_usage_days (day, account_id, engine, calls, failed_calls, input_tokens, cached_input_tokens, output_tokens, cost, estimated_cost)
     select day, $1, engine, 3, 1, 10, 0, 5, 0.000000000001, 0.25
     from unnest(array['2026-01-02', '2026-01-03']::date[]) day, unnest(array['a', 'b']) engine`,
    [id],
  );
  const range = ['usage', '--cost', '--from', '2026-01-01', '--to', '2026-01-31'];
  const { costs } = await json(...range, '--account', id);
  assert.deepEqual(
    costs.map(({ day, engine, calls, cost, estimated_cost }: Record<string, unknown>) => [
      ...[day, engine, calls],
      ...[Number(cost), Number(estimated_cost)],
    ]),
    [
      ['2026-01-03', 'a', 3, 1e-12, 0.25],
      ['2026-01-03', 'b', 3, 1e-12, 0.25],
      ['2026-01-02', 'a', 3, 1e-12, 0.25],
      ['2026-01-02', 'b', 3, 1e-12, 0.25],
    ],
  );
  for (const spelled of [range, range.toSpliced(1, 0, 'report')])
    assert.match((await command(...spelled)).stdout, /DAY +ACCOUNT NAME +ENGINE +CALLS +COST/);
  const alone = await command('usage', '--from', '2026-01-01');
  assert.deepEqual([alone.code, alone.stderr], [2, 'toledo: --from goes with --cost.\n']);
});

test('"task retry", "task download" and "task read" do what the console does, and are written down', async () => {
  const { key } = await app.newKey(partner.id, 'test');
  const order = { action: 'translation', source_lang: 'en', text: paragraph, file_name: 'quay.txt' };
  const failed = await run(app, key, { ...order, target_lang: 'de-x-fail' });
  const book = await run(app, key, { ...order, target_lang: 'de' });
  const retried = await json('task', 'retry', failed.task_id);
  assert.deepEqual(Object.keys(retried), ['task_id', 'retry_of']);
  assert.equal((await untilEnded(app, key, retried.task_id)).status, 'failed');
  const refused = await command('task', 'retry', book.task_id);
  assert.deepEqual([refused.code, refused.stderr.includes('Only a failed task is tried again')], [1, true]);

  const folder = await mkdtemp(join(tmpdir(), 'toledo-download-'));
  after(() => rm(folder, { recursive: true }));
  const out = join(folder, 'quay.xlf');
  const download = (...more: string[]) =>
    command('task', 'download', book.task_id, '--file', 'xliff', '--out', out, ...more);
  assert.match((await download()).stdout, /quay\.xlf \(\d+ bytes\)/);
  assert.match(await readFile(out, 'utf8'), /<xliff /);
  const again = await download();
  assert.deepEqual([again.code, again.stderr.includes('exists; --overwrite replaces it')], [1, true]);
  assert.equal((await download('--overwrite')).code, 0);
  assert.match((await command('task', 'download', book.task_id, '--file', 'x')).stderr, /--file/);

  const { url } = await json('task', 'read', book.task_id);
  const { pathname, search } = new URL(url);
  assert.equal((await fetch(`${app.rootUrl}${pathname}${search}`)).status, 200);
  const audited = await json('audit', 'list', '--account', partner.id, '--limit', '10');
  const actions = audited.map((entry: { action: string }) => entry.action);
  for (const action of ['task.retry', 'task.download', 'task.read']) assert.ok(actions.includes(action), action);
});
