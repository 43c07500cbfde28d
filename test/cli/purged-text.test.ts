import { strict as assert } from 'node:assert';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createLog } from '../../src/platform/log.ts';
import { FileStorage } from '../../src/platform/storage/file-storage.ts';
import { sweep } from '../../src/tasks/sweeper.ts';
import { countRows } from '../support/stored.ts';
import { create, creditsOf, untilEnded } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { toledo } from '../support/toledo-process.ts';

const lines: string[] = [];
const logDestination = { write: (line: string) => void lines.push(line) };
const app = await startTestApp({ env: { TOLEDO_LOG_LEVEL: 'debug' }, logDestination });
const folder = await mkdtemp(join(tmpdir(), 'toledo-purged-'));
after(() => rm(folder, { recursive: true, force: true }));
const env = { TOLEDO_DATA_DIR: app.dataDir, TOLEDO_DATABASE_URL: app.databaseUrl };

const actions = ['translation', 'preview_translation', 'token_estimate', 'glossary_extraction', 'preview_metadata'];
/** A word of its own for the text and one for the glossary of every task. */
const canaries = Array.from({ length: 20 }, (_, n) => [`Zanzo${letters(n)}rin`, `Quorb${letters(n)}dax`] as const);

function letters(n: number): string {
  return String.fromCharCode(97 + Math.floor(n / 5), 97 + (n % 5));
}

/** Files below a folder in which one of the words occurs. */
async function search(path: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const content = await readFile(join(entry.parentPath, entry.name), 'latin1');
    if (canaries.flat().some((word) => content.includes(word))) found.push(entry.name);
  }
  return found;
}

test('after deletion and retention a dump of all tables, all files and the log at debug level hold no word of 20 tasks; the ledger stays', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const ids = await Promise.all(
    canaries.map(async ([word, term], n) => {
      const fields = {
        action: actions[n % actions.length] as string,
        target_lang: 'de',
        char_limit: 150,
        text: `The ship ${word} came in. Captain ${word} greeted ${term}. ${word} waved to ${term}, and everybody saw ${word}.`,
        glossary: { [term]: `${term}ia` },
      };
      const created = await create(app, key, fields, { idempotencyKey: `purge ${n}` });
      assert.equal(created.status, 201, created.text);
      return created.body.data.task_id as string;
    }),
  );
  for (const id of ids) assert.equal((await untilEnded(app, key, id)).status, 'completed');
  const first = join(folder, 'before');
  assert.equal((await toledo(['backup', first], env)).code, 0);
  assert.ok((await search(first)).includes('checkpoints.tsv'), 'the words must be there first');
  assert.ok((await search(app.dataDir)).length > 20);
  const [before, credits] = [await countRows(app), await creditsOf(app, key)];

  const { db, pool } = app.application.database;
  for (const id of ids.slice(0, 10)) await app.call('DELETE', `/api/v1/tasks/${id}`, { key });
  await pool.query('alter table tasks disable trigger tasks_guard');
  await pool.query(`update tasks set ended_at = now() - interval '31 days' where purged_at is null`);
  await pool.query('alter table tasks enable trigger tasks_guard');
  const storage = await FileStorage.open(join(app.dataDir, 'files'));
  await sweep({ db, storage, retentionDays: 30, log: createLog('debug', logDestination) });

  const dump = join(folder, 'after');
  assert.equal((await toledo(['backup', dump], env)).code, 0);
  assert.deepEqual(await search(dump), []);
  assert.deepEqual(await search(app.dataDir), []);
  const log = lines.join('');
  assert.ok(lines.length > 20, 'the log was written');
  assert.deepEqual(
    canaries.flat().filter((word) => log.includes(word)),
    [],
  );
  const after = await countRows(app);
  for (const table of ['tasks', 'credit_transfers', 'credit_holds', 'idempotency_keys'])
    assert.equal(after[`public.${table}`], before[`public.${table}`], `${table} stays`);
  assert.deepEqual(await creditsOf(app, key), credits);
});

test('a series keeps what its deleted tasks taught it; when it is deleted too, no word of them is left', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const [word, term] = canaries[0] as readonly [string, string];
  const headers = { 'content-type': 'application/json' };
  const series = JSON.stringify({ title: 'The harbour', source_lang: 'en', target_lang: 'de' });
  const { series_id } = (await app.call('POST', '/api/v1/series', { key, headers, body: series })).body.data;
  const terms = JSON.stringify({ terms: [{ source: term, target: word }] });
  await app.call('PUT', `/api/v1/series/${series_id}/terms`, { key, headers, body: terms });
  const sheet = JSON.stringify({ tense: 'past', voices: [{ name: word, voice: 'gruff' }] });
  await app.call('PUT', `/api/v1/series/${series_id}/sheet`, { key, headers, body: sheet });
  const source = `The ship of ${term} came in before the storm, and everybody on the quay saw what it had brought with it.`;
  const created = await create(app, key, { action: 'translation', series_id, text: source });
  const { task_id } = await untilEnded(app, key, created.body.data.task_id);
  const corrections = JSON.stringify([{ source, target: `Das Schiff von ${word}.` }]);
  await app.call('POST', `/api/v1/series/${series_id}/corrections`, { key, headers, body: corrections });
  await app.call('DELETE', `/api/v1/tasks/${task_id}`, { key });
  const kept = join(folder, 'kept');
  assert.equal((await toledo(['backup', kept], env)).code, 0);
  assert.deepEqual((await search(kept)).toSorted(), ['memory_blocks.tsv', 'series.tsv', 'series_terms.tsv']);
  await app.call('DELETE', `/api/v1/series/${series_id}`, { key });
  const gone = join(folder, 'gone');
  assert.equal((await toledo(['backup', gone], env)).code, 0);
  assert.deepEqual(await search(gone), []);
});
