/** What books, quotes and orders of a series are held and charged for, case by case. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Answer } from '../support/api-client.ts';
import { assertError, create, creditsOf, type Fields, run, untilEnded } from '../support/task-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const app = await startTestApp();
/** Nobody translates here unless a test starts a worker beside it. */
const api = await startTestApp({ role: 'api', env: { TOLEDO_UNCHARGED_CHARACTERS_PER_DAY: '100' } });

const send = (key: string, method: 'POST' | 'PUT' | 'PATCH', path: string, body: object, at: TestApp = app) =>
  at.call(method, `/api/v1${path}`, {
    key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function newSeries(key: string, more: object = {}, at: TestApp = app): Promise<string> {
  const series = { title: 'Ferries', source_lang: 'en', target_lang: 'de', ...more };
  const answer = await send(key, 'POST', '/series', series, at);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data.series_id;
}

const paragraph = (n: number) =>
  `The ferry number ${n} left the harbour before dawn, and nobody on the quay could say who had ordered it to go.`;
const book = (...numbers: number[]) => numbers.map(paragraph).join('\n\n');
const setTerm = (key: string, seriesId: string, target: string, at: TestApp = app) =>
  send(key, 'PUT', `/series/${seriesId}/terms`, { terms: [{ source: 'ferry', target }] }, at);

async function whileWorking(wait: () => Promise<unknown>): Promise<void> {
  const worker = await startTestApp({ role: 'worker', beside: api });
  await wait();
  await worker.application.stop();
}

test('a book that is wholly remembered needs no credits, as a text or as a file, and a new chapter those of its characters', async () => {
  const text = book(1, 2, 3);
  const { key } = await app.account({ credits: text.length });
  const series_id = await newSeries(key);
  await run(app, key, { action: 'translation', series_id, text });
  assert.deepEqual(await creditsOf(app, key), { balance: 0, reserved: 0, used: text.length });

  const again = await create(app, key, { action: 'translation', series_id, text });
  assert.equal(again.status, 201, again.text);
  assert.equal(again.body.data.estimated_credits, 0);
  assert.equal((await untilEnded(app, key, again.body.data.task_id)).credits_charged, 0);
  const fields = { action: 'translation', series_id, estimated_chars: 9_000 };
  const asFile = await create(app, key, fields, { file: { content: text } });
  assert.equal(asFile.body.data?.estimated_credits, 0, asFile.text);
  const opening = await create(app, key, { action: 'preview_translation', series_id, text, char_limit: 200 });
  assert.ok(opening.status === 402 || opening.body.data.estimated_credits <= 200, opening.text);

  const grown = await create(app, key, { action: 'translation', series_id, text: book(1, 2, 3, 4) });
  assertError(grown, 402, 'PAYMENT_REQUIRED');
  const { required_credits } = grown.body.error.details;
  assert.equal(required_credits, paragraph(4).length, grown.text);
});

test('new text costs what it costs alone, wherever it is put in and however far apart the paragraphs are', async () => {
  const { key } = await app.account({ credits: 1_000_000 });
  const series_id = await newSeries(key);
  const order = (text: string) => run(app, key, { action: 'translation', series_id, text });
  const wide = (...numbers: number[]) => numbers.map(paragraph).join('\n\n\n\n   * * *\n\n\n\n17\n\n\n\n');
  const old = wide(1, 2, 3, 4, 5, 6);
  assert.equal((await order(old)).credits_charged, old.length);
  let next = 10;
  const fresh = (count: number) => book(...Array.from({ length: count }, () => next++));
  const places: ((added: string) => string)[] = [
    (added) => `${old}\n\n\n\n${added}`,
    (added) => `${added}\n\n\n\n${old}`,
    (added) => `${wide(1, 2, 3)}\n\n* * *\n\n18\n\n${added}\n\n* * *\n\n${wide(4, 5, 6)}`,
  ];
  for (const [i, place] of places.entries()) {
    for (const count of [1, 10]) {
      const added = fresh(count);
      const { credits_charged, coverage } = await order(place(added));
      assert.equal(credits_charged, added.length, `place ${i}`);
      assert.equal(coverage.total, coverage.translated + coverage.reused + coverage.kept + coverage.failed);
    }
  }
  const apart = [fresh(1), fresh(2)];
  const both = await order([apart[0], wide(1, 2), apart[1]].join('\n\n\n'));
  assert.equal(both.credits_charged, apart.join('').length);
});

test('a task is carried out with the style and the terms that its series had when it was ordered, and what is not covered is counted', async () => {
  const { key } = await api.account({ credits: 10_000 });
  const text = book(1, 2);
  const series = await Promise.all([1, 2, 3].map(() => newSeries(key, { style: 'Plain.' }, api)));
  const [restyled = '', renamed = '', deleted = ''] = series;
  const order = (series_id: string) => create(api, key, { action: 'translation', series_id, text });
  const ended = ({ body }: Answer) => untilEnded(api, key, body.data.task_id);
  const first = await Promise.all(series.map(order));
  await whileWorking(() => Promise.all(first.map(ended)));

  const [afterStyle, afterTerm, afterDeletion] = await Promise.all(series.map(order));
  assert.ok(afterStyle && afterTerm && afterDeletion);
  assert.equal((await send(key, 'PATCH', `/series/${restyled}`, { style: 'Ornate.' }, api)).status, 200);
  assert.equal((await setTerm(key, renamed, 'Barke', api)).status, 200);
  assert.equal((await api.call('DELETE', `/api/v1/series/${deleted}`, { key })).status, 200);
  const later = await Promise.all([restyled, renamed].map(order));
  await whileWorking(async () => {
    for (const task of await Promise.all([afterStyle, afterTerm].map(ended))) {
      const { estimated_credits, coverage } = task;
      assert.deepEqual([estimated_credits, coverage.translated, coverage.reused], [0, 0, text.length]);
    }
    for (const { credits_charged } of await Promise.all(later.map(ended))) assert.equal(credits_charged, text.length);
    await ended(afterDeletion);
  });
  const uncovered = await ended(afterDeletion);
  assert.deepEqual([uncovered.credits_charged, uncovered.coverage.reused], [0, 0]);
  assertError(await order(restyled), 429, 'RATE_LIMITED', { reason: 'UNCHARGED_WORK' });
});

test('a quote is for one task with the style and the terms that it was made with; otherwise it is void and the answer says why', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const series_id = await newSeries(key, { style: 'Plain.' });
  const text = book(1, 2, 3);
  await run(app, key, { action: 'translation', series_id, text });
  const quote = async (fields: Fields = {}) => {
    const estimate = await run(app, key, { action: 'token_estimate', series_id, text, ...fields });
    return estimate.task_id as string;
  };
  const order = (source_task_id: string, fields: Fields = {}) =>
    create(app, key, { action: 'translation', series_id, source_task_id, ...fields });
  const shown = ({ body }: Answer) => [body.data.quote, body.data.quote_reason, body.data.estimated_credits];
  const ended = async ({ body }: Answer) => await untilEnded(app, key, body.data.task_id);

  const [once, forStyle, forTerms, forGlossary] = [await quote(), await quote(), await quote(), await quote()];
  const first = await order(once);
  assert.deepEqual(shown(first), ['applied', undefined, 0]);
  assert.equal((await ended(first)).quote, 'applied');
  assert.deepEqual(
    shown(await order(once)),
    ['void', 'USED', 0],
    'priced anew, which is nothing as long as all is remembered',
  );

  assert.equal((await send(key, 'PATCH', `/series/${series_id}`, { style: 'Ornate.' })).status, 200);
  const restyled = await order(forStyle);
  assert.deepEqual(shown(restyled), ['void', 'STYLE_CHANGED', text.length]);
  const view = await ended(restyled);
  assert.deepEqual([view.quote_reason, view.credits_charged], ['STYLE_CHANGED', text.length]);
  for (const style of ['Breathless.', 'Wry.']) {
    await send(key, 'PATCH', `/series/${series_id}`, { style });
    assert.equal((await ended(await order(once))).credits_charged, text.length, 'each further style is paid');
  }

  assert.equal((await send(key, 'PATCH', `/series/${series_id}`, { style: 'Plain.' })).status, 200);
  assert.deepEqual(shown(await order(forGlossary, { glossary: { quay: 'Kai' } })).slice(0, 2), ['void', 'OTHER_ORDER']);
  assert.equal((await setTerm(key, series_id, 'Barke')).status, 200);
  const renamed = await order(forTerms);
  assert.deepEqual(shown(renamed), ['void', 'TERMS_CHANGED', text.length]);
  assert.equal((await ended(renamed)).credits_charged, text.length);
});

test('of two orders under one quote at the same moment one has it, and the other is priced anew', async () => {
  const { key } = await api.account({ credits: 100_000 });
  const series_id = await newSeries(key, {}, api);
  const created = await create(api, key, { action: 'token_estimate', series_id, text: book(1, 2) });
  const { task_id } = created.body.data;
  // Nobody translates after that: the first order's book would make the others free.
  await whileWorking(() => untilEnded(api, key, task_id));
  const estimate = await untilEnded(api, key, task_id);
  const order = { action: 'translation', series_id, source_task_id: task_id };
  const answers = await Promise.all(Array.from({ length: 5 }, () => create(api, key, order)));
  assert.deepEqual(answers.map(({ body }) => body.data.quote).sort(), ['applied', 'void', 'void', 'void', 'void']);
  for (const { body } of answers) assert.equal(body.data.estimated_credits, estimate.billable_characters);
});

test('a quote outside of a series is a quote too, and an unfinished estimate is none', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const estimate = await run(app, key, { action: 'token_estimate', text: book(1) });
  const order = { action: 'translation', target_lang: 'de', source_task_id: estimate.task_id };
  const [first, second] = [await create(app, key, order), await create(app, key, order)];
  assert.deepEqual([first.body.data.quote, second.body.data.quote_reason], ['applied', 'USED']);
  const idle = await api.account({ credits: 1_000 });
  const unfinished = await create(api, idle.key, { action: 'token_estimate', text: book(1) });
  const early = await create(api, idle.key, { ...order, source_task_id: unfinished.body.data.task_id });
  assert.deepEqual([early.body.data.quote, early.body.data.quote_reason], ['void', 'NOT_COMPLETED']);
});
