import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { sharedSimulatedEngine } from '../support/simulated-engine-app.ts';
import { type Fields, run } from '../support/task-client.ts';

const names = [
  { source: 'Corwin', type: 'person', gender: 'm' as const, aliases: ['the keeper'] },
  { source: 'Marisol', type: 'person', gender: 'f' as const },
  { source: 'Iron Gate', type: 'place' },
];
const { app } = await sharedSimulatedEngine({ seed: 4, names });

const paragraphs = Array.from({ length: 12 }, (_, n) => [
  `On evening ${n} Corwin counted ${n * 7 + 3} ships from the wall and wrote their names down until the lamp went out.`,
  `That night ${n} the keeper said nothing about the ${n * 11 + 5} sails, and nobody in the kitchen asked him for them.`,
  `At dawn ${n} Marisol crossed the Iron Gate with ${n * 3 + 2} letters, and the guards let her pass without a word.`,
  `The rain of day ${n} lasted ${n * 5 + 4} hours, filled the cistern behind the house and left the road as soft as bread.`,
]).flat();
const text = paragraphs.join('\n\n');

const json = 'application/json';
const set = async (key: string, seriesId: string, type: string, body: string) => {
  const answer = await app.call('PUT', `/api/v1/series/${seriesId}/terms`, {
    key,
    headers: { 'content-type': type },
    body,
  });
  assert.equal(answer.status, 200, answer.text);
};
const setTerms = (key: string, seriesId: string, terms: object[]) =>
  set(key, seriesId, json, JSON.stringify({ terms }));
const termsOf = async (key: string, seriesId: string) =>
  (await app.call('GET', `/api/v1/series/${seriesId}/terms?limit=100`, { key })).body.data.terms;
const output = async (key: string, taskId: string, fileId: string) =>
  (await app.call('GET', `/api/tasks/download-file/${taskId}?file_id=${fileId}`, { key })).text;

async function translatedSeries() {
  const { key } = await app.account({ credits: 1_000_000 });
  const headers = { 'content-type': json };
  const body = JSON.stringify({ title: 'The Iron Gate', source_lang: 'en', target_lang: 'de' });
  const { series_id } = (await app.call('POST', '/api/v1/series', { key, headers, body })).body.data;
  const order = (fields: Fields = {}) => run(app, key, { action: 'translation', series_id, text, ...fields });
  const first = await order({ outputs: 'glossary,glossary_tbx' });
  assert.equal(first.credits_charged, text.length);
  const terms = await termsOf(key, series_id);
  const found = Object.fromEntries(terms.map(({ source, target }: Record<string, string>) => [source, target]));
  return { key, series_id, first, order, found };
}

const having = (...forms: string[]) => paragraphs.filter((each) => forms.some((form) => each.includes(form)));
const charactersOf = (some: string[]) => some.reduce((sum, { length }) => sum + length, 0);

test('terms that are put back as they were exported, in any form, change nothing and cost nothing', async () => {
  const { key, series_id, first, order, found } = await translatedSeries();
  const before = await termsOf(key, series_id);
  assert.deepEqual(
    before.map(({ source, origin }: { source: string; origin: string }) => [source, origin]),
    ['Corwin', 'Iron Gate', 'Marisol'].map((source) => [source, 'extracted']),
  );
  await set(key, series_id, 'text/csv', await output(key, first.task_id, 'glossary'));
  assert.equal((await order()).credits_charged, 0);
  await set(key, series_id, 'application/x-tbx', await output(key, first.task_id, 'glossary_tbx'));
  assert.equal((await order()).credits_charged, 0);
  await set(key, series_id, json, JSON.stringify({ terms: before }));
  await setTerms(key, series_id, [{ source: 'Corwin', target: found.Corwin }]);
  assert.deepEqual(await termsOf(key, series_id), before);
  assert.equal((await order()).credits_charged, 0);
  assert.equal((await order({ glossary: found })).credits_charged, 0, 'the same names as a glossary of the task');
  assert.deepEqual(await termsOf(key, series_id), before);
});

test('a note, a gender or a type is no reason to translate again; another rendering is, and setting it back brings the old text back', async () => {
  const { key, series_id, first, order, found } = await translatedSeries();
  await setTerms(key, series_id, [
    { source: 'Iron Gate', target: found['Iron Gate'], note: 'Of the old town.', type: 'item' },
  ]);
  assert.equal((await order()).credits_charged, 0);
  const gate = (await termsOf(key, series_id)).find(({ source }: { source: string }) => source === 'Iron Gate');
  assert.deepEqual([gate.origin, gate.note, gate.type], ['supplied', 'Of the old town.', 'item']);

  await setTerms(key, series_id, [{ source: 'Corwin', target: 'Corvin' }]);
  const renamed = await order();
  assert.equal(renamed.coverage.translated, charactersOf(having('Corwin', 'the keeper')), 'its other form too');
  await setTerms(key, series_id, [{ source: 'Corwin', target: found.Corwin }]);
  const back = await order();
  assert.equal(back.credits_charged, 0);
  const translated = await Promise.all([first, back].map(({ task_id }) => output(key, task_id, 'translated')));
  assert.equal(translated[0], translated[1]);
  await setTerms(key, series_id, [{ source: 'Corwin', target: 'Corvin' }]);
  assert.equal((await order()).credits_charged, 0, 'this was paid for as well');
  assert.equal((await app.call('DELETE', `/api/v1/series/${series_id}/terms/Corwin`, { key })).status, 200);
  await setTerms(key, series_id, [{ source: 'Corwin', target: found.Corwin, aliases: ['the keeper'] }]);
  assert.equal((await order()).credits_charged, 0, 'put back after it was removed');
});

test('a form that is taken away from a name, or given to it, redoes the paragraphs that have that form', async () => {
  const { key, series_id, order, found } = await translatedSeries();
  await setTerms(key, series_id, [{ source: 'Corwin', target: found.Corwin, aliases: [] }]);
  assert.equal((await order()).coverage.translated, charactersOf(having('the keeper')));
  await setTerms(key, series_id, [{ source: 'Marisol', target: found.Marisol, aliases: ['the rain'] }]);
  assert.equal((await order()).coverage.translated, charactersOf(having('The rain')));
});
