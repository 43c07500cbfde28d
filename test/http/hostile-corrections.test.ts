/** What a hostile editor can do with corrections: nothing grows without bound, and nobody else waits. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { sql } from 'kysely';
import { assertError, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const account = await app.account({ credits: 100_000 });
const { key } = await app.newKey(account.id, 'test');
const fields = { action: 'translation', source_lang: 'es', target_lang: 'en' };

const post = (path: string, body: string, type = 'application/json') =>
  app.call('POST', path, { key, headers: { 'content-type': type }, body });

async function editorLink(taskId: string): Promise<string> {
  const { body } = await post(`/api/v1/tasks/${taskId}/reader-link`, '{"editable": true}');
  return new URL(body.data.url).pathname;
}

const blocksOf = async (link: string) => (await app.call('GET', `${link}chapters/0`)).body.data.blocks;

test('a corrected paragraph has at most 4 times its source and 2,000 characters, whichever way it comes in', async () => {
  const series = { title: 'Cartas', source_lang: 'es', target_lang: 'en' };
  const { series_id } = (await post('/api/v1/series', JSON.stringify(series))).body.data;
  const text = 'Ana abrió la carta.\n\nNadie la vio.';
  const task = await run(app, key, { ...fields, text, series_id, outputs: 'xliff' });
  const path = `/api/v1/tasks/${task.task_id}`;
  const link = await editorLink(task.task_id);
  const before = await blocksOf(link);
  const source = 'Nadie la vio.';
  const limit = 4 * source.length + 2_000;
  const long = 'é'.repeat(limit + 1);
  const corrections = [
    { source: 'Ana abrió la carta.', target: 'Ana opened the letter.' },
    { source, target: long },
  ];
  const xliff = (await app.call('GET', `/api/tasks/download-file/${task.task_id}?file_id=xliff`, { key })).text;
  const edited = xliff.replace(/(<source>Nadie la vio\.<\/source>\s*<target[^>]*>)[^<]*/, `$1${long}`);
  const ways: Record<string, () => ReturnType<typeof post>> = {
    'the reader': () => post(`${link}corrections`, JSON.stringify({ block_id: 'b2', source, target: long })),
    'a list': () => post(`${path}/corrections`, JSON.stringify({ corrections })),
    'a file': () => post(`${path}/corrections`, edited, 'application/xml'),
    'a list of the series': () => post(`/api/v1/series/${series_id}/corrections`, JSON.stringify(corrections)),
    'a file of the series': () => post(`/api/v1/series/${series_id}/corrections`, edited, 'application/xml'),
  };
  for (const [way, send] of Object.entries(ways)) {
    const answer = await send();
    assertError(answer, 400, 'BAD_REQUEST', { field: 'target', reason: 'CORRECTION_TOO_LONG' }, way);
    assert.equal(answer.body.error.details.limit_characters, limit, way);
  }
  assert.deepEqual(await blocksOf(link), before, 'nothing was changed, the good corrections neither');
  const fits = { corrections: [{ source, target: long.slice(1) }] };
  assert.equal((await post(`${path}/corrections`, JSON.stringify(fits))).body.data.taken, 1);
});

test('a term that is replaced by many times itself grows no paragraph beyond its bound', async () => {
  const glossary = { Ana: 'Ana' };
  const task = await run(app, key, { ...fields, text: 'Ana abrió la carta.\n\nNadie vio a Ana.', glossary });
  const link = await editorLink(task.task_id);
  const grow = { source: 'Ana', from: 'Ana', to: Array.from({ length: 125 }, () => 'Ana').join(' ') };
  assert.equal((await post(`${link}terms`, JSON.stringify(grow))).status, 200);
  const before = await blocksOf(link);
  const again = await post(`${link}terms`, JSON.stringify(grow));
  assertError(again, 400, 'BAD_REQUEST', { field: 'target', reason: 'CORRECTION_TOO_LONG' });
  assert.deepEqual(await blocksOf(link), before);
});

/** What the task keeps in the database of its corrections, and what the account is told to keep. */
async function keptOf(taskId: string): Promise<{ texts: number; blocks: number; bytes: number; stored: number }> {
  const { rows } = await sql<{ texts: number; blocks: number; bytes: number; stored: number }>`
    select (select count(*)::int from task_correction_texts where task_id = ${taskId}) as texts,
      (select count(*)::int from task_corrections where task_id = ${taskId}) as blocks,
      (select coalesce(sum(octet_length(target)), 0)::int from task_correction_texts where task_id = ${taskId}) as bytes,
      (select stored_bytes::int from tasks where id = ${taskId}) as stored`.execute(app.application.database.db);
  return rows[0] as { texts: number; blocks: number; bytes: number; stored: number };
}

test('a reader corrects the paragraph that it names; a correction by source is kept once for all that have its text', async () => {
  const line = 'Dijo que sí.';
  const task = await run(app, key, { ...fields, text: Array.from({ length: 400 }, () => line).join('\n\n') });
  const link = await editorLink(task.task_id);
  const [machine] = await blocksOf(link);
  const before = await keptOf(task.task_id);
  const one = { block_id: 'b7', source: line, target: 'He said so.' };
  const answer = (await post(`${link}corrections`, JSON.stringify(one))).body.data;
  assert.equal(answer.taken, 1);
  const marks = async () =>
    (await app.call('GET', `${link}book.json`)).body.data.chapters.map((each: { marks: string }) => each.marks);
  assert.equal((await marks()).join('').split('c').length - 1, 1, 'no other paragraph is corrected');
  const after = await blocksOf(link);
  assert.deepEqual(
    after.filter(({ corrected }: { corrected: boolean }) => corrected).map(({ id }: { id: string }) => id),
    ['b7'],
  );
  const list = { corrections: [{ source: line, target: 'x'.repeat(2_000) }] };
  const all = (await post(`/api/v1/tasks/${task.task_id}/corrections`, JSON.stringify(list))).body.data;
  assert.equal(all.taken, 400);
  const kept = await keptOf(task.task_id);
  // With what b7 said before.
  assert.deepEqual([kept.texts, kept.blocks, kept.bytes], [2, 400, 2_000 + one.target.length]);
  assert.equal(kept.stored, before.stored + kept.bytes, 'and counts in the storage of the account');
  const restored = { block_id: 'b7', source: line, target: machine.target };
  assert.equal((await post(`${link}corrections`, JSON.stringify(restored))).body.data.taken, 1);
  assert.equal((await marks()).join('').split('c').length - 1, 399, 'the words of the machine are no correction');
  assert.equal((await app.call('DELETE', `/api/v1/tasks/${task.task_id}`, { key })).status, 200);
  assert.deepEqual(await keptOf(task.task_id), { texts: 0, blocks: 0, bytes: 0, stored: 0 });
});

test('600 units for 300 equal paragraphs: each paragraph takes one, and the others are refused; more than 100,000 are none', async () => {
  const line = 'Sí.';
  const task = await run(app, key, { ...fields, text: Array.from({ length: 300 }, () => line).join('\n\n') });
  assert.equal(task.status, 'completed');
  const path = `/api/v1/tasks/${task.task_id}/corrections`;
  const units = (count: number) =>
    JSON.stringify({ corrections: Array.from({ length: count }, (_, i) => ({ source: line, target: `Y${i}` })) });
  const { data } = (await post(path, units(600))).body;
  assert.deepEqual([data.taken, data.refused, data.refusals.length], [300, 599, 100]);
  assert.equal(data.refusals[0].reason, 'CORRECTED_TWICE');
  const kept = await keptOf(task.task_id);
  assert.deepEqual([kept.texts, kept.blocks], [1, 300]);
  const tooMany = await post(path, units(100_001));
  assertError(tooMany, 413, 'PAYLOAD_TOO_LARGE', { reason: 'TOO_MANY_CORRECTIONS' });
});

test('matching ends when the client leaves, and nothing of it is saved', async () => {
  const task = await run(app, key, {
    ...fields,
    text: Array.from({ length: 3_000 }, (_, i) => `Noche ${i} sin luna.`).join('\n\n'),
  });
  const before = await keptOf(task.task_id);
  const corrections = Array.from({ length: 3_000 }, (_, i) => ({
    source: `Noche ${i} sin luna.`,
    target: `Night ${i}.`,
  }));
  const leaving = new AbortController();
  const sent = fetch(`${app.rootUrl}/api/v1/tasks/${task.task_id}/corrections`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ corrections }),
    signal: leaving.signal,
  });
  // The account's turn is taken: what is sent now has arrived, and waits.
  leaving.abort();
  await assert.rejects(sent);
  const next = { corrections: [{ source: 'Noche 1 sin luna.', target: 'One.' }] };
  assert.equal((await post(`/api/v1/tasks/${task.task_id}/corrections`, JSON.stringify(next))).body.data.taken, 1);
  assert.equal((await keptOf(task.task_id)).blocks - before.blocks, 1);
});
