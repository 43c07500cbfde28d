/** A name that is corrected in one book is a term of the series once no other book has it otherwise: a term redoes what has it. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();

const volume = (nights: number[]) =>
  nights
    .map((n) => `La noche ${n} la farera Clara Montes contó las velas y dijo a la gente que el puerto estaba en calma.`)
    .join('\n\n');

test('a name becomes a term when it is corrected in every book of the series, and no sooner', async () => {
  const { key } = await app.account({ credits: 100_000 });
  const headers = { 'content-type': 'application/json' };
  const post = async (path: string, body: object) => {
    const answer = await app.call('POST', path, { key, headers, body: JSON.stringify(body) });
    assert.ok(answer.status < 300, answer.text);
    return answer.body.data;
  };
  const series = { title: 'El faro', source_lang: 'es', target_lang: 'en' };
  const { series_id } = await post('/api/v1/series', series);
  const order = { action: 'translation', series_id, outputs: 'xliff' };
  const one = await run(app, key, { ...order, text: volume([1, 2, 3, 4, 5, 6, 7, 8]) });
  const two = await run(app, key, { ...order, text: volume([11, 12, 13, 14, 15, 16, 17, 18]) });
  const clara = async () => {
    const { terms } = (await app.call('GET', `/api/v1/series/${series_id}/terms`, { key })).body.data;
    return terms.find(({ source }: { source: string }) => source === 'Clara Montes');
  };
  const { target, origin } = await clara();
  assert.equal(origin, 'extracted');
  const renamed = async ({ task_id }: { task_id: string }) => {
    const file = await app.call('GET', `/api/tasks/download-file/${task_id}?file_id=xliff`, { key });
    return file.text.replace(/<target.*?<\/target>/gs, (text) => text.replaceAll(target, 'Claire Hills'));
  };
  const sendFile = async (path: string, body: string) =>
    (await app.call('POST', path, { key, headers: { 'content-type': 'application/xml' }, body })).body.data;

  assert.equal((await sendFile(`/api/v1/tasks/${two.task_id}/corrections`, await renamed(two))).taken, 8);
  assert.equal((await clara()).origin, 'extracted', 'the first volume has the name uncorrected');
  const { url } = await post(`/api/v1/tasks/${two.task_id}/reader-link`, { editable: true });
  const fix = { source: 'Clara Montes', from: 'Claire Hills', to: 'Clara Hills' };
  assert.equal((await post(`${new URL(url).pathname}terms`, fix)).changed, 8);
  assert.equal((await clara()).origin, 'extracted', 'nor does the reader of one book decide for the others');
  const again = await run(app, key, { ...order, source_task_id: one.task_id });
  assert.equal(again.credits_charged, 0, 'nothing of the first volume is redone');

  const back = { ...fix, from: 'Clara Hills', to: 'Claire Hills' };
  assert.equal((await post(`${new URL(url).pathname}terms`, back)).changed, 8);
  const rest = await sendFile(`/api/v1/series/${series_id}/corrections`, await renamed(one));
  assert.equal(rest.taken, 8);
  assert.deepEqual(rest.terms, [{ source: 'Clara Montes', target: 'Claire Hills' }]);
  assert.deepEqual([(await clara()).target, (await clara()).origin], ['Claire Hills', 'corrected']);
  for (const { task_id } of [one, two]) {
    const redone = await run(app, key, { ...order, source_task_id: task_id });
    assert.equal(redone.credits_charged, 0);
  }
});
