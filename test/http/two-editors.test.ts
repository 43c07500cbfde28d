/** Two people edit the same export: neither undoes what the other has done, in files, in lists, of tasks and of series. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const { id: accountId } = await app.account();
const { key } = await app.newKey(accountId, 'test');
const paragraphs = [
  'La carta llegó un martes de lluvia.',
  'Nadie la quiso abrir aquella noche.',
  'El farol ardió solo.',
];
const xml = 'application/xml';

const post = async (path: string, body: string, type = 'application/json') => {
  const {
    status,
    body: answer,
    text,
  } = await app.call('POST', `/api/v1${path}`, {
    ...{ key, headers: { 'content-type': type }, body },
  });
  assert.ok(status < 300, text);
  return answer.data;
};

async function exported(fileId: 'xliff' | 'tmx') {
  const series = { title: 'Cartas', source_lang: 'es', target_lang: 'en' };
  const { series_id } = await post('/series', JSON.stringify(series));
  const fields = { action: 'translation', text: paragraphs.join('\n\n'), series_id, outputs: 'xliff,tmx' };
  const task = await run(app, key, fields);
  const fileOf = async (id: string) =>
    (await app.call('GET', `/api/tasks/download-file/${task.task_id}?file_id=${id}`, { key })).text;
  const reading = new URL((await post(`/tasks/${task.task_id}/reader-link`, '{}')).url).pathname;
  const targets = async (): Promise<string[]> =>
    (await app.call('GET', `${reading}chapters/0`)).body.data.blocks.map(({ target }: { target: string }) => target);
  return { task, series_id, file: await fileOf(fileId), targets, fileOf, machine: await targets() };
}

/** As an editor's tool saves it. */
const edit = (file: string, from: string | undefined, to: string): string => {
  assert.ok(from !== undefined && file.split(`>${from}<`).length === 2, `${from} stands in the file once`);
  return file.replace(`>${from}<`, `>${to}<`);
};
const withoutMarks = (file: string) => file.replace(/ extradata="[^"]*"|<prop [^>]*>[^<]*<\/prop>/g, '');
const countsOf = ({ taken, unchanged, refused, conflicting }: Record<string, number>) => [
  ...[taken, unchanged, refused, conflicting],
];

for (const fileId of ['xliff', 'tmx'] as const)
  for (const keepsMarks of [true, false])
    for (const owner of ['task', 'series'] as const)
      test(`the ${fileId} of a second editor undoes nothing of the first one's, sent to the ${owner}${keepsMarks ? '' : ', from a tool that loses our marks'}`, async () => {
        const { task, series_id, file, targets, fileOf, machine } = await exported(fileId);
        assert.ok(file !== withoutMarks(file), 'each unit says what it was exported with');
        const path = owner === 'task' ? `/tasks/${task.task_id}/corrections` : `/series/${series_id}/corrections`;
        const send = (edited: string, query = '') =>
          post(path + query, keepsMarks ? edited : withoutMarks(edited), xml);
        const first = edit(edit(file, machine[0], 'A letter came.'), machine[1], 'Nobody opened it.');
        assert.deepEqual(countsOf(await send(first)), [2, 1, 0, 0]);
        const second = edit(edit(file, machine[1], 'No one would.'), machine[2], 'The lamp burned.');
        const answer = await send(second);
        assert.deepEqual(countsOf(answer), [1, 1, 0, 1], 'one taken, one as exported, one that both have changed');
        const conflict = { unit: 'b2', current: 'Nobody opened it.', sent: 'No one would.' };
        assert.deepEqual(answer.conflicts, [conflict]);
        const now = async () => {
          if (owner === 'task') return await targets();
          const again = await run(app, key, { action: 'translation', series_id, source_task_id: task.task_id });
          assert.equal(again.credits_charged, 0);
          const { url } = await post(`/tasks/${again.task_id}/reader-link`, '{}');
          const { body } = await app.call('GET', `${new URL(url).pathname}chapters/0`);
          return body.data.blocks.map(({ target }: { target: string }) => target);
        };
        assert.deepEqual(await now(), ['A letter came.', 'Nobody opened it.', 'The lamp burned.']);
        assert.deepEqual(
          countsOf(await send(file)),
          [0, 3, 0, 0],
          'the export itself changes nothing, whatever has happened',
        );
        assert.deepEqual(countsOf(await send(second, '?on_conflict=replace')), [1, 2, 0, 0]);
        assert.deepEqual(await now(), ['A letter came.', 'No one would.', 'The lamp burned.']);
        if (owner === 'series' || !keepsMarks) return;
        await post(`/tasks/${task.task_id}/corrected-book`, '{}');
        const later = edit(await fileOf(fileId), 'No one would.', 'Not a soul would.');
        assert.deepEqual(countsOf(await send(later)), [1, 2, 0, 0], 'a later export is of the corrected text');
      });

test('a list says what it was made from, or speaks of the book as it is now', async () => {
  const { task, series_id, machine } = await exported('xliff');
  const [source] = paragraphs;
  const ways: [string, (corrections: object[]) => object][] = [
    [`/tasks/${task.task_id}/corrections`, (corrections) => ({ corrections })],
    [`/series/${series_id}/corrections`, (corrections) => corrections],
  ];
  for (const [path, body] of ways) {
    const send = (correction: object) => post(path, JSON.stringify(body([{ source, ...correction }])));
    const [start, first, second] = [machine[0], `One ${path}`, `Two ${path}`];
    assert.deepEqual(countsOf(await send({ target: first })), [1, 0, 0, 0]);
    assert.deepEqual(countsOf(await send({ target: start })), [0, 1, 0, 0], 'what was translated is no correction');
    assert.deepEqual(countsOf(await send({ target: second, exported: start })), [0, 0, 0, 1]);
    assert.deepEqual(countsOf(await send({ target: start, exported: start })), [0, 1, 0, 0]);
    assert.deepEqual(countsOf(await send({ target: second, exported: first })), [1, 0, 0, 0]);
  }
});

test('of two editors who send at once to a book and to its series, one has it and the other is told', async () => {
  const { task, series_id, file, targets, machine } = await exported('xliff');
  const ofTask = edit(file, machine[0], 'The task says so.');
  const ofSeries = edit(file, machine[0], 'The series says so.');
  const answers = await Promise.all([
    post(`/tasks/${task.task_id}/corrections`, ofTask, xml),
    post(`/series/${series_id}/corrections`, ofSeries, xml),
  ]);
  const [current] = await targets();
  if (answers[1].taken === 1) {
    // The series had it first. The book, which has none of its corrections, takes its own, and teaches the series that.
    assert.equal(answers[0].taken, 1);
  } else {
    assert.deepEqual(countsOf(answers[1]), [0, 2, 0, 1]);
    assert.equal(answers[1].conflicts[0].current, 'The task says so.');
  }
  assert.equal(current, 'The task says so.');
});
