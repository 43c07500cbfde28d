import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { sharedSimulatedEngine } from '../support/simulated-engine-app.ts';
import { assertError, create, creditsOf, type Fields, poll, run, until } from '../support/task-client.ts';
import { eventually } from '../support/workers.ts';

const { app, server } = await sharedSimulatedEngine({ seed: 9 });
const { pool } = app.application.database;

const paragraph = (n: number) =>
  `The ${n}th lamp of the quay burned over the bay while the keeper counted ${n * 7 + 3} ships and waited for his brother.`;
const paragraphs = 200;
const book = Array.from({ length: paragraphs }, (_, n) => paragraph(n)).join('\n\n');
// No call for names: the first answers are those of the text.
const terms = { glossary: { quay: 'Kai' }, glossary_strategy: 'replace' };

/**
 * Orders a text of which the engine answers the first four calls, and cancels it when something of that is kept and a call hangs. The worker
 * of an earlier one that has not yet noticed its end sends further calls, which would take these answers: they end first.
 */
async function cancelAfterFirstCalls(key: string, fields: Fields) {
  const isQuiet = async () =>
    app.application.engines.status().every(({ inFlight, waiting }) => inFlight + waiting === 0);
  await eventually(isQuiet, 'the end of earlier calls');
  const sentBefore = server.log.calls.length;
  server.configure({ script: [...Array(4).fill('ok'), ...Array(400).fill('hang-before')] });
  try {
    const created = await create(app, key, { action: 'translation', ...terms, ...fields });
    assert.equal(created.status, 201, created.text);
    const taskId: string = created.body.data.task_id;
    const kept = async () =>
      (await pool.query(`select from checkpoints where task_id = $1 and kind = 'segment'`, [taskId])).rowCount !== 0;
    await eventually(kept, 'a segment');
    const hangs = async () => server.log.calls.slice(sentBefore).some(({ fault }) => fault === 'hang-before') === true;
    await eventually(hangs, 'a call that hangs');
    const cancelled = await app.call('POST', `/api/v1/tasks/${taskId}/cancel`, { key });
    assert.equal(cancelled.status, 200, cancelled.text);
    return cancelled.body.data;
  } finally {
    server.configure({ script: [] });
  }
}

async function newSeries(key: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ title: 'Lamps', source_lang: 'en', target_lang: 'de' });
  return (await app.call('POST', '/api/v1/series', { key, headers, body })).body.data.series_id;
}

test('a cancelled task of a series teaches what it delivers: the same book, ordered at once, costs only the rest', async () => {
  const { key } = await app.account({ credits: 200_000 });
  const series_id = await newSeries(key);
  const order = { series_id, text: book };
  const { task_id, credits_charged: paid } = await cancelAfterFirstCalls(key, order);
  const rest = await run(app, key, { action: 'translation', ...terms, series_id, text: book });
  assert.equal(rest.status, 'completed');
  const delivered = await until(app, key, task_id, (task) => task.download_files !== undefined);
  assert.ok(paid > 0 && paid < book.length / 2, `${paid} of ${book.length}`);
  assert.equal(delivered.coverage.translated, paid);
  const letters = book.length - 2 * (paragraphs - 1);
  assert.equal(rest.coverage.translated, letters - paid);
  assert.ok(paid + rest.credits_charged <= book.length, `${paid} and ${rest.credits_charged} for ${book.length}`);
  const again = await run(app, key, { action: 'translation', ...terms, series_id, text: book });
  assert.equal(again.credits_charged, 0);
  assert.deepEqual(await creditsOf(app, key), {
    balance: 200_000 - paid - rest.credits_charged,
    reserved: 0,
    used: paid + rest.credits_charged,
  });
});

let cancelledOnce: Promise<{ key: string; task_id: string }> | undefined;

/** One for the tests that only look at it. */
function cancelledTask(): Promise<{ key: string; task_id: string }> {
  cancelledOnce ??= (async () => {
    const { key } = await app.account({ credits: 200_000 });
    const order = { source_lang: 'en', target_lang: 'de', text: book };
    return { key, ...(await cancelAfterFirstCalls(key, order)) };
  })();
  return cancelledOnce;
}

test('a poll of a cancelled task shows files and coverage together or neither', async () => {
  const { key, task_id } = await cancelledTask();
  // Several at a time and without a pause, so that some of them meet the moment in which both are written.
  const pollToTheFiles = async () => {
    for (;;) {
      const { coverage, download_files } = (await poll(app, key, task_id)).body.data;
      assert.equal(coverage === undefined, download_files === undefined);
      if (download_files !== undefined) return;
    }
  };
  await Promise.all([pollToTheFiles(), pollToTheFiles()]);
});

test('when the files of a cancelled task are there, an event tells of them', async () => {
  const { key, task_id } = await cancelledTask();
  const view = await until(app, key, task_id, (task) => task.download_files !== undefined);
  const { events } = (await app.call('GET', '/api/v1/events', { key })).body.data;
  assert.deepEqual(
    events.map(({ type }: { type: string }) => type),
    ['task.cancelled', 'task.delivered'],
  );
  const { coverage, download_files, status } = events[1].data;
  assert.deepEqual([coverage, download_files, status], [view.coverage, view.download_files, 'cancelled']);
});

test('a paragraph that is cut into several segments is charged when all of it is translated, and not before', async () => {
  const { key } = await app.account({ credits: 200_000 });
  // One paragraph: its sentences stand on one line.
  const text = book.replaceAll('\n\n', ' ');
  const task = await cancelAfterFirstCalls(key, { source_lang: 'en', target_lang: 'de', text });
  assert.equal(task.credits_charged, 0, 'nothing of it can be delivered');
  assertError(await app.call('GET', `/api/v1/tasks/${task.task_id}/download`, { key }), 409, 'TASK_NOT_DOWNLOADABLE');
  const whole = await run(app, key, { action: 'translation', ...terms, source_lang: 'en', target_lang: 'de', text });
  assert.equal(whole.credits_charged, text.length);
});
