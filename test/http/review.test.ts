/** Paragraphs that an editor has looked at: marked in the reader, carried by XLIFF both ways. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { assertError, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const account = await app.account();
const { key } = await app.newKey(account.id, 'test');
const paragraphs = [
  'La carta llegó un martes de lluvia.',
  'Ana vino de Puerto Calmo con una lámpara.',
  'Nadie la quiso abrir aquella noche.',
  'El barco de Puerto Calmo no volvió.',
];
const fields = {
  ...{ action: 'translation', source_lang: 'es', target_lang: 'en-x-terms' },
  ...{ glossary: { 'Puerto Calmo': 'Calm Harbour', Ana: 'Anna' }, outputs: 'report' },
};
const send = (path: string, body: object | string, type = 'application/json') =>
  app.call('POST', path, {
    ...{ key, headers: { 'content-type': type } },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

let books = 0;

async function translated() {
  // What an account has had translated before is not judged again.
  const text = paragraphs.map((paragraph) => `${paragraph} ${'Otra vez. '.repeat(books)}`.trim()).join('\n\n');
  books++;
  const { task_id } = await run(app, key, { ...fields, text });
  const link = async (editable: boolean) =>
    new URL((await send(`/api/v1/tasks/${task_id}/reader-link`, { editable })).body.data.url).pathname;
  const fileOf = async (fileId: string): Promise<string> => {
    const { body } = await app.call('GET', `/api/v1/tasks/${task_id}/download?file_id=${fileId}`, { key });
    return await (await fetch(body.data.download_url)).text();
  };
  const path = await link(true);
  const marks = async () => (await app.call('GET', `${path}book.json`)).body.data.chapters[0].marks;
  return { task_id, path, link, fileOf, marks };
}
const stateOf = (xliff: string, id: string): string | undefined =>
  new RegExp(`<trans-unit id="${id}"[\\s\\S]*?<target state="([^"]*)"`).exec(xliff)?.[1];

test('the report ranks paragraphs by doubt with the reason in words, and the reader has the same order', async () => {
  const { path, fileOf } = await translated();
  const { review } = JSON.parse(await fileOf('report'));
  const missed = { code: 'TERM_NOT_APPLIED', message: 'A fixed name or term was not found in the translation.' };
  assert.deepEqual(review, {
    count: 2,
    paragraphs: [
      { block_id: 'b2', reasons: [missed] },
      { block_id: 'b4', reasons: [missed] },
    ],
  });
  assert.deepEqual((await app.call('GET', `${path}book.json`)).body.data.review, ['b2', 'b4']);
});

test('an approved paragraph is marked, final in XLIFF, and can be taken back; a link for reading cannot approve', async () => {
  const { path, link, fileOf, marks } = await translated();
  assert.equal(stateOf(await fileOf('xliff'), 'b2'), 'needs-review-translation');
  assert.equal((await send(`${path}approvals`, { block_id: 'b2', approved: true })).body.data.approved, true);
  assert.equal(await marks(), '.a.w');
  const xliff = await fileOf('xliff');
  assert.equal(stateOf(xliff, 'b2'), 'final');
  assert.match(xliff, /<trans-unit id="b2"[^>]*approved="yes"/);
  assert.equal(stateOf(xliff, 'b4'), 'needs-review-translation');
  await send(`${path}approvals`, { block_id: 'b2', approved: false });
  assert.equal(await marks(), '.w.w');
  assert.equal(stateOf(await fileOf('xliff'), 'b2'), 'needs-review-translation');
  for (const block_id of ['b99', 'x', '../b1'])
    assertError(await send(`${path}approvals`, { block_id, approved: true }), 404, 'NOT_FOUND');
  const reading = await link(false);
  assertError(await send(`${reading}approvals`, { block_id: 'b2', approved: true }), 403, 'READER_LINK_INVALID');
});

test('an XLIFF that comes back says what was looked at, by state or by approved, of texts that are as they were', async () => {
  const { task_id, fileOf, marks } = await translated();
  const xliff = await fileOf('xliff');
  const back = (file: string) => send(`/api/v1/tasks/${task_id}/corrections`, file, 'application/xliff+xml');
  const withState = (file: string, id: string, state: string) =>
    file.replace(new RegExp(`(<trans-unit id="${id}"[\\s\\S]*?<target state=")[^"]*`), `$1${state}`);
  assert.equal((await back(xliff)).body.data.approved, 0);
  const edited = withState(withState(xliff, 'b1', 'signed-off'), 'b2', 'final')
    .replace('<trans-unit id="b3"', '<trans-unit approved="yes" id="b3"')
    .replace('state="needs-review-translation">⟦', 'state="final">Changed ⟦');
  const answer = (await back(edited)).body.data;
  assert.deepEqual([answer.taken, answer.approved], [1, 3], 'a text that was changed too is a correction');
  assert.equal(await marks(), 'aaac');
  const again = (await back(await fileOf('xliff'))).body.data;
  assert.deepEqual([again.taken, again.refused, await marks()], [0, 0, 'aaac']);
});
