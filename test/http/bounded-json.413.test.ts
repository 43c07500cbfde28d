import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { assertError, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const { key } = await app.account({ credits: 10_000 });
const send = (method: string, path: string, body: string) =>
  app.call(method, `/api/v1${path}`, { key, headers: { 'content-type': 'application/json' }, body });

const order = { action: 'translation', source_lang: 'en', target_lang: 'de', text: 'The lamp was out.' };
const { task_id } = await run(app, key, order);
const created = await send('POST', '/series', JSON.stringify({ title: 'A', source_lang: 'en', target_lang: 'de' }));
const { series_id } = created.body.data;

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const members = `{${many(70_000, (i) => `"k${i}":0`).join()}}`;
const shapes = {
  'an object of very many members': members,
  'a list of very many lists': `[${many(300_000, () => '[]').join()}]`,
  'lists in lists': '['.repeat(100_000),
  'members behind a quote that is none': `{"a":"\\"${'x'.repeat(10)}","b":${members}}`,
};

for (const [method, path] of [
  ['POST', `/tasks/${task_id}/corrections`],
  ['POST', `/series/${series_id}/corrections`],
  ['PUT', `/series/${series_id}/terms`],
] as const)
  for (const [name, body] of Object.entries(shapes))
    test(`${method} ${path.replace(/_\w+/, '')}: ${name} are refused before they are parsed`, async () => {
      assertError(await send(method, path, body), 413, 'PAYLOAD_TOO_LARGE', { reason: 'TOO_MANY_VALUES' });
    });

test('brackets, commas and quotes inside of strings count for nothing', async () => {
  const target = `${'{[,'.repeat(60_000)} "\\`;
  const answer = await send('POST', `/series/${series_id}/corrections`, JSON.stringify([{ source: 'Yes.', target }]));
  assert.equal(answer.status, 200, answer.text);
});
