/** What a hostile editor can do with corrections: nothing grows without bound, and nobody else waits. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
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
