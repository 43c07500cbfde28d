import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { smallFb2 } from '../documents/small-office.ts';
import { makeZip } from '../documents/zip-maker.ts';
import { create, run, untilEnded } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const { id, key } = await app.account({ credits: 100_000 });
const text = 'Le phare veillait sur la baie.';

test('an optional field sent empty counts as absent, in every content type', async () => {
  const empty = { char_limit: '', glossary: '', glossary_strategy: '', metadata: '', source_lang: '', file_name: '' };
  for (const as of ['multipart', 'json', 'urlencoded'] as const) {
    const answer = await create(app, key, { action: 'translation', target_lang: 'en', text, ...empty }, { as });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.body.data.char_count, [...text].length);
  }
});

test('empty text beside a file is absent; alone it is an empty source', async () => {
  const fields = { action: 'translation', target_lang: 'en', text: '', estimated_chars: 100 };
  const withFile = await create(app, key, fields, { file: { content: text } });
  assert.equal(withFile.status, 201, withFile.text);
  const alone = await create(app, key, fields);
  assert.deepEqual([alone.status, alone.body.error.details.reason], [400, 'EMPTY_SOURCE']);
});

test('a required field sent empty is missing', async () => {
  const answer = await create(app, key, { action: 'translation', target_lang: '', text });
  assert.deepEqual(
    [answer.status, answer.body.error.details.field, answer.body.error.details.reason],
    [400, 'target_lang', 'MISSING_FIELD'],
  );
});

test('a glossary key that is there twice is refused, as a string and as an object of a JSON body', async () => {
  const glossary = '{"Jean": "John", "nested": {"target": "a"}, "Je\\u0061n": "Johnny"}';
  const asText = await create(app, key, { action: 'translation', target_lang: 'en', text, glossary });
  const asObject = await app.call('POST', '/api/v1/tasks', {
    key,
    headers: { 'content-type': 'application/json' },
    body: `{"action": "translation", "target_lang": "en", "text": "x", "glossary": ${glossary}}`,
  });
  for (const { status, body } of [asText, asObject]) {
    assert.equal(status, 400);
    assert.deepEqual(
      [body.error.details.field, body.error.details.reason, body.error.details.key],
      ['glossary', 'GLOSSARY_DUPLICATE_TERM', 'Jean'],
    );
  }
});

test('a glossary that begins with a byte order mark is read', async () => {
  for (const as of ['multipart', 'json', 'urlencoded'] as const) {
    const glossary = '\ufeff{"phare": "Leuchtturm"}';
    const fields = { action: 'glossary_extraction', glossary_strategy: 'replace', char_limit: 1_000 };
    const answer = await create(app, key, { ...fields, target_lang: 'de', text, glossary }, { as });
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(answer.body.data.terms.map(({ source, target }: Record<string, string>) => [source, target]), [['phare', 'Leuchtturm']]); // biome-ignore format: one line
  }
});

test('a packed FB2 comes back packed, its name with the language before both endings', async () => {
  const book = smallFb2({ body: '<section><p>The ferry left at nine.</p></section>' });
  const file = { content: Buffer.from(makeZip([{ name: 'ferry.fb2', content: book }])), fileName: 'ferry.fb2.zip' };
  const task = await run(app, key, { action: 'translation', target_lang: 'de', estimated_chars: 100 }, { file });
  const { body } = await app.call('GET', `/api/v1/tasks/${task.task_id}/download`, { key });
  assert.equal(body.data.file_name, 'ferry.de.fb2.zip');
});

test('a live task that the sandbox translates because the operator named it as engine says so', async () => {
  const task = await run(app, key, { action: 'translation', target_lang: 'en', text });
  assert.equal(task.quality, 'sandbox');
});

test('a task of a test key says so on every view; a live one says nothing', async () => {
  const testKey = (await app.newKey(id, 'test')).key;
  const request = { action: 'translation', target_lang: 'en', text };
  const created = await create(app, testKey, request);
  assert.equal(created.body.data.livemode, false);
  assert.equal((await untilEnded(app, testKey, created.body.data.task_id)).livemode, false);
  const live = await create(app, key, request);
  assert.equal('livemode' in live.body.data, false);
});
