import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { assertError, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const account = await app.account();
const { key } = await app.newKey(account.id, 'test');
const text = '# Uno\n\nLa *carta* llegó de Puerto Calmo un martes.\n\nAna no quiso abrirla.\n';
const file = { content: text, fileName: 'carta.md' };
const fields = { action: 'translation', source_lang: 'es', target_lang: 'en', estimated_chars: 200 };

const post = (path: string, body: string, type = 'application/json', as = key) =>
  app.call('POST', path, { key: as, headers: { 'content-type': type }, body });

async function fileOf(taskId: string, fileId: string): Promise<string> {
  const { text } = await app.call('GET', `/api/tasks/download-file/${taskId}?file_id=${fileId}`, { key });
  return text;
}

test('outputs are made as asked for, and the usual four without asking', async () => {
  const usual = await run(app, key, fields, { file });
  assert.deepEqual(
    usual.download_files.map((each: { file_id: string }) => each.file_id),
    ['translated', 'bilingual', 'glossary', 'report'],
  );
  const asked = await run(app, key, { ...fields, outputs: 'xliff, tmx,glossary_tbx' }, { file });
  assert.deepEqual(
    asked.download_files.map((each: { file_id: string; file_name: string }) => each.file_name),
    ['carta.en.md', 'carta.en.xlf', 'carta.en.tmx', 'carta.en.glossary.tbx'],
  );
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...fields, outputs: 'xlif' })) form.append(name, String(value));
  form.append('file', new Blob([text]), 'carta.md');
  assertError(await app.call('POST', '/api/v1/tasks', { key, body: form }), 400, 'BAD_REQUEST', {
    field: 'outputs',
    reason: 'UNKNOWN_VALUE',
  });
});

test('an edited XLIFF comes back as corrections, and the book made again has them, at no price', async () => {
  const task = await run(app, key, { ...fields, outputs: 'xliff' }, { file });
  const path = `/api/v1/tasks/${task.task_id}`;
  const xliff = await fileOf(task.task_id, 'xliff');
  const unedited = (await post(`${path}/corrections`, xliff, 'application/xliff+xml')).body.data;
  assert.deepEqual([unedited.taken, unedited.refused], [0, 0]);
  assert.equal(unedited.unchanged, 3);
  const targets = [...xliff.matchAll(/<target state="translated">(.*?)<\/target>/g)].map(
    ([, target]) => target as string,
  );
  const edited = xliff
    .replace(targets[2] as string, 'Ana would not open it.')
    .replace(targets[1] as string, 'The letter lost its emphasis.');
  const answer = (await post(`${path}/corrections`, edited, 'application/xml')).body.data;
  assert.deepEqual([answer.taken, answer.unchanged, answer.refused], [1, 1, 1]);
  assert.deepEqual(answer.refusals, [{ unit: 'b2', reason: 'DAMAGED_TAGS' }]);
  const remade = (await post(`${path}/corrected-book`, '{}')).body.data;
  assert.ok(remade.download_files.some((each: { file_id: string }) => each.file_id === 'corrected'));
  assert.match(await fileOf(task.task_id, 'corrected'), /Ana would not open it\./);
  assert.equal(remade.credits_charged, 0);
  const listed = { corrections: [{ source: 'Ana no quiso abrirla.', target: 'Ana refused to open it.' }] };
  assert.equal((await post(`${path}/corrections`, JSON.stringify(listed))).body.data.taken, 1);
  await post(`${path}/corrected-book`, '{}');
  assert.match(await fileOf(task.task_id, 'corrected'), /Ana refused to open it\./);
});

test('the book made again takes glossary, XLIFF and TMX with it: the corrected term, and corrected paragraphs as final', async () => {
  const outputs = 'glossary,xliff,tmx,glossary_tbx';
  const glossary = { 'Puerto Calmo': { target: 'Calm Harbour', type: 'place' }, Ana: 'Ana' };
  const task = await run(app, key, { ...fields, outputs, glossary }, { file });
  const path = `/api/v1/tasks/${task.task_id}`;
  const before = await Promise.all(['glossary', 'glossary_tbx', 'xliff'].map((id) => fileOf(task.task_id, id)));
  for (const text of before) assert.match(text, /Calm Harbour/);
  const link = (await post(`${path}/reader-link`, '{"editable": true}')).body.data.url;
  const fix = { source: 'Puerto Calmo', from: 'Calm Harbour', to: 'Still, haven' };
  const fixed = await post(`${new URL(link).pathname}terms`, JSON.stringify(fix));
  assert.equal(fixed.body.data.changed, 1);
  for (let round = 0; round < 2; round++) {
    const { download_files: files } = (await post(`${path}/corrected-book`, '{}')).body.data;
    assert.deepEqual(
      files.map((each: { file_id: string }) => each.file_id),
      ['translated', 'glossary', 'xliff', 'tmx', 'glossary_tbx', 'corrected'],
    );
    const csv = await fileOf(task.task_id, 'glossary');
    assert.match(csv, /^Puerto Calmo,"Still, haven",place,/m);
    assert.match(csv, /^Ana,Ana,/m);
    assert.equal(csv.split('\r\n').length, before[0]?.split('\r\n').length);
    const size = files.find((each: { file_id: string }) => each.file_id === 'glossary').file_size;
    assert.equal(size, Buffer.byteLength(csv));
    assert.match(await fileOf(task.task_id, 'glossary_tbx'), /<term>Still, haven<\/term>/);
    const xliff = await fileOf(task.task_id, 'xliff');
    const unit = /<trans-unit id="b2"[^>]*approved="yes">[\s\S]*?<\/trans-unit>/.exec(xliff)?.[0] ?? '';
    assert.match(unit, /<target state="final">.*Still, haven/);
    assert.match(unit, /Puerto Calmo → Still, haven/);
    assert.equal(xliff.match(/approved/g)?.length, 1, 'the others are as they were');
    for (const text of [await fileOf(task.task_id, 'tmx'), await fileOf(task.task_id, 'corrected')])
      assert.match(text, /Still, haven/);
    const unedited = (await post(`${path}/corrections`, xliff, 'application/xliff+xml')).body.data;
    assert.deepEqual([unedited.taken, unedited.unchanged, unedited.refused], [0, 3, 0]);
  }
});

test('hostile and foreign corrections are refused, and nothing is left of a purged task', async () => {
  const task = await run(app, key, fields, { file });
  const path = `/api/v1/tasks/${task.task_id}`;
  const doctype = '<!DOCTYPE xliff [<!ENTITY x "y">]><xliff version="1.2"/>';
  assertError(await post(`${path}/corrections`, doctype, 'application/xml'), 400, 'BAD_REQUEST', {
    reason: 'XML_DOCTYPE',
  });
  assertError(await post(`${path}/corrections`, '{"corrections": [{"source": 1}]}'), 400, 'BAD_REQUEST', {
    reason: 'BAD_CORRECTIONS',
  });
  assertError(await post(`${path}/corrections`, 'x', 'text/plain'), 415, 'UNSUPPORTED_MEDIA_TYPE');
  assertError(
    await post(`${path}/corrections`, `<xliff>${' '.repeat(33 * 1024 * 1024)}`, 'application/xml'),
    413,
    'PAYLOAD_TOO_LARGE',
  );
  const other = await app.account();
  assertError(
    await post(`${path}/corrections`, '{"corrections": []}', 'application/json', other.key),
    404,
    'NOT_FOUND',
  );
  await app.call('DELETE', path, { key });
  assertError(await post(`${path}/corrections`, '{"corrections": []}'), 410, 'OUTPUT_EXPIRED');
  assertError(await post(`${path}/reader-link`, '{}'), 410, 'OUTPUT_EXPIRED');
});
