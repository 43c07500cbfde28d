// Runs alone: it records every statement that its process sends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { sweep } from '../../src/tasks/sweeper.ts';
import { create, run } from '../support/task-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { longStory } from '../support/texts.ts';
import { recordStatements, type Statement, scansOf } from './recorded-statements.ts';

const rowsPerTable = 5_000;
const large = [
  ...['tasks', 'task_outputs', 'checkpoints', 'idempotency_keys', 'credit_transfers', 'api_keys', 'accounts'],
  ...['series', 'series_terms', 'memories', 'memory_blocks'],
];

test('no statement of the service reads a whole table, however large', async () => {
  // From the start: a connection keeps the way it sends statements.
  const ended = recordStatements();
  const app = await startTestApp({ own: true });
  const partner = await app.account({ credits: 1_000_000 });
  await fill(app, partner.id);
  await useEverything(app, partner.key);
  const statements = ended().filter(({ text }) => isOurs(text));
  assert.ok(statements.length >= 40, `${statements.length} statements seen`);

  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  try {
    const offences: string[] = [];
    for (const statement of statements) {
      for (const { table, node, condition } of await scansOf(client, statement)) {
        if (large.includes(table) && (node === 'Seq Scan' || condition === undefined))
          offences.push(`${node} of ${table}: ${statement.text.replace(/\s+/g, ' ').slice(0, 200)}`);
      }
    }
    assert.deepEqual(offences, []);
  } finally {
    await client.end();
  }
});

/** The job engine keeps its own tables, and few rows in them. */
function isOurs(text: Statement['text']): boolean {
  return /^\s*(select|insert|update|delete|with)\b/i.test(text) && !text.includes('pgboss') && !text.includes('pg_');
}

async function useEverything(app: TestApp, key: string): Promise<void> {
  const text = 'The lamp on the quay was out. Nobody had lit it since Monday, and Corwin knew why.';
  const idempotencyKey = 'query-plans';
  const book = await run(app, key, { action: 'translation', target_lang: 'de', text }, { idempotencyKey });
  assert.equal(book.status, 'completed');
  await create(app, key, { action: 'translation', target_lang: 'de', text }, { idempotencyKey });
  await run(app, key, { action: 'preview_metadata', text });
  await run(app, key, { action: 'glossary_extraction', target_lang: 'de', text });
  await useSeries(app, key);
  const long = await create(app, key, { action: 'translation', target_lang: 'de-x-slow', text: longStory(1) });
  for (const [method, path] of [
    ['GET', `/tasks/${book.task_id}`],
    ['GET', '/tasks?limit=20'],
    ['GET', '/tasks?external_id=none'],
    ['GET', '/tasks?status=completed&limit=5'],
    ['GET', '/usage'],
    ['GET', '/usage/ledger?limit=20'],
    ['GET', `/tasks/${book.task_id}/download`],
    ['POST', `/tasks/${long.body.data.task_id}/cancel`],
    ['DELETE', `/tasks/${book.task_id}`],
  ] as const) {
    const { status, text: body } = await app.call(method, `/api/v1${path}`, { key });
    assert.ok(status < 300, `${method} ${path}: ${body}`);
  }
  await app.call('GET', '/metrics');
  const { db } = app.application.database;
  const storage = { list: async function* () {}, delete: async () => {} } as never;
  await sweep({ db, storage, retentionDays: 30, log: { info() {}, warn() {} } as never });
}

/** With a line that stands in more places than are read at once. */
async function useSeries(app: TestApp, key: string): Promise<void> {
  const send = async (method: string, path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    return await app.call(method, `/api/v1${path}`, { key, headers, body: JSON.stringify(body) });
  };
  const made = await send('POST', '/series', { title: 'Plans', source_lang: 'en', target_lang: 'de' });
  const { series_id } = made.body.data;
  const path = `/series/${series_id}`;
  const line = (n: number) =>
    `The lamp number ${n} on the quay was out, and nobody had lit it since the Monday before last.`;
  const text = Array.from({ length: 40 }, (_, n) => `${line(n)}\n\n“Yes.”`).join('\n\n');
  await send('PUT', `${path}/terms`, { terms: [{ source: 'quay', target: 'Kai' }] });
  for (const round of [1, 2]) {
    const { status, coverage } = await run(app, key, { action: 'translation', series_id, text });
    assert.equal(status, 'completed');
    assert.equal(coverage.reused > 0, round === 2);
  }
  const corrections = [{ source: line(1), target: 'Lampe eins.' }];
  assert.equal((await send('POST', `${path}/corrections`, corrections)).body.data.taken, 1);
  assert.equal((await send('PATCH', path, { title: 'More plans' })).status, 200);
  for (const each of ['/series?limit=5', path, `${path}/terms`]) await app.call('GET', `/api/v1${each}`, { key });
  assert.equal((await app.call('DELETE', `/api/v1${path}/terms/quay`, { key })).status, 200);
  assert.equal((await app.call('DELETE', `/api/v1${path}`, { key })).status, 200);
}

/** Many partners, and one with a long history. Sandbox tasks move no credits, so the books stay balanced. */
async function fill(app: TestApp, accountId: string): Promise<void> {
  const { pool } = app.application.database;
  const { rows } = await pool.query('select id from api_keys where account_id = $1', [accountId]);
  const id = `left(md5(n::text), 26)`;
  const series = `from generate_series(1, ${rowsPerTable}) n`;
  await pool.query(
    `insert into accounts (id, name, name_key, rate_limit_per_minute) select 'acc_' || ${id}, 'many ' || n, 'many ' || n, 60 ${series}`,
  );
  await pool.query(`insert into credit_balances (account_id) select 'acc_' || ${id} ${series}`);
  await pool.query(
    `insert into api_keys (id, account_id, hash, prefix, mode) select 'key_' || ${id}, 'acc_' || ${id}, sha256(n::text::bytea), 'many' || n, 'live' ${series}`,
  );
  // Before events are asked for, and not yet to be purged.
  const past = `now() - interval '29 days 1 hour' - make_interval(secs => n)`;
  await pool.query(
    `insert into tasks (id, account_id, key_id, action, sandbox, status, stage, progress, file_name, source_lang, target_lang, char_count,
       estimated_credits, credits_charged, source_sha256, result, lane, job_id, created_at, ended_at)
     select 'task_' || ${id}, $1, $2, 'translation', true, 'completed', 'completed', 1, 'novel.txt', 'auto', 'de', 1000, 1000, 0, '', '{}',
       'short', gen_random_uuid(), ${past}, ${past} ${series}`,
    [accountId, rows[0].id],
  );
  await pool.query(
    `insert into tasks (id, account_id, key_id, action, sandbox, file_name, source_lang, target_lang, char_count, estimated_credits,
       source_sha256, lane, job_id)
     select 'task_' || left(md5('pending' || n), 26), 'acc_' || ${id}, 'key_' || ${id}, 'translation', true, 'novel.txt', 'auto', 'de', 1000, 1000, '',
       'book', gen_random_uuid() ${series} where n % 4 = 0`,
  );
  await pool.query(
    `insert into task_outputs (task_id, file_id, position, file_name, media_type, storage_key, size_bytes, sha256)
     select 'task_' || ${id}, 'translated', 0, 'novel.de.txt', 'text/plain', 'outputs/x', 1000, repeat('0', 64) ${series}`,
  );
  await pool.query(
    `insert into checkpoints (task_id, account_id, kind, key, record) select 'task_' || ${id}, $1, 'segment', md5('key' || n), '{}' ${series}`,
    [accountId],
  );
  await pool.query(
    `insert into idempotency_keys (account_id, key, fingerprint, task_id) select $1, 'key ' || n, sha256('x'), 'task_' || ${id} ${series}`,
    [accountId],
  );
  // A hundred partners with a history, of whom ours is one.
  const payer = `case when n % 100 = 0 then $1 else 'acc_' || left(md5((n % 100)::text), 26) end`;
  await pool.query(
    `insert into credit_transfers (account_id, kind, debit_book, credit_book, amount) select ${payer}, 'top_up', 'granted', 'available', 1 ${series}`,
    [accountId],
  );
  await pool.query(
    `update credit_balances b set granted = granted + $2, available = available + $2
     where account_id = $1 or account_id in (select 'acc_' || left(md5(n::text), 26) from generate_series(1, 99) n)`,
    [accountId, rowsPerTable / 100],
  );
  await pool.query(
    `insert into series (id, account_id, sandbox, title, target_lang) select 'ser_' || ${id}, 'acc_' || ${id}, false, 'Many', 'de' ${series}`,
  );
  await pool.query(
    `insert into memories (account_id, sandbox, series_id) select 'acc_' || ${id}, false, 'ser_' || ${id} ${series}`,
  );
  await pool.query(
    `insert into series_terms (series_id, source, target, type, gender, aliases, confidence, origin)
     select 'ser_' || ${id}, 'term', 'Wort', 'other', 'unknown', '{}', 1, 'supplied' ${series}`,
  );
  await pool.query(
    `insert into memory_blocks (memory_id, text_key, variant, context, grade, target)
     select n, md5(n::text)::uuid, n, n, 0, 'Worte' ${series}`,
  );
  await pool.query('analyze');
}
