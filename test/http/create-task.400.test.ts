import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Answer } from '../support/api-client.ts';
import { countRows, listFiles } from '../support/stored.ts';
import { assertError, create, creditsOf, type Fields } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp({ role: 'api' });
const { key } = await app.account({ credits: 100_000 });
const text = 'The lamp on the quay was out.';
const good = { action: 'translation', target_lang: 'de', text };

/** Sends every request under a key of its own, twice: refused both times, and nothing whatsoever is kept. */
async function refused(cases: { fields: Fields; field?: string; reason?: string }[]): Promise<Answer[]> {
  return await refusedCalls(
    cases.flatMap(({ fields, ...details }, i) =>
      (['json', 'multipart', 'urlencoded'] as const).map((as) => ({
        ...details,
        what: `${as} ${JSON.stringify(fields)}`,
        send: () => create(app, key, fields, { as, idempotencyKey: `refused ${i} ${as}` }),
      })),
    ),
  );
}

async function refusedCalls(
  cases: { send: () => Promise<Answer>; what: string; field?: string; reason?: string }[],
): Promise<Answer[]> {
  const [rows, files] = [await countRows(app), await listFiles(app)];
  const answers = await Promise.all(
    cases.map(async ({ send, what, ...details }) => {
      const answer = await send();
      assertError(answer, 400, 'BAD_REQUEST', details, what);
      return answer;
    }),
  );
  assert.deepEqual(await countRows(app), rows);
  assert.deepEqual(await listFiles(app), files);
  return answers;
}

test('U+0000 in a text, and a text that is no text, are told of the text and not of a file', async () => {
  const { key } = await app.account({ credits: 1_000 });
  const order = { action: 'translation', target_lang: 'de' };
  for (const as of ['json', 'multipart', 'urlencoded'] as const) {
    for (const text of ['The lamp\0 was out.', '\0', `${'The lamp was out. '.repeat(5_000)}\0`]) {
      const refused = await create(app, key, { ...order, text }, { as });
      assertError(refused, 400, 'BAD_REQUEST', { field: 'text', reason: 'NOT_TEXT' });
      assert.match(refused.body.error.message, /text.*U\+0000/);
    }
    for (const text of ['PK\u0003\u0004 lamp', '%PDF-1.4 lamp', '{\\rtf1 lamp}', '\u0001\u0002']) {
      const { status, body } = await create(app, key, { ...order, text }, { as });
      assert.equal(status, 400);
      assert.equal(body.error.details.field, 'text');
      assert.doesNotMatch(body.error.message, /\bfile\b/);
    }
  }
});

test('an unknown field is refused by its name, in every content type: a misspelt char_limt never becomes a full paid run', async () => {
  await refused([
    { fields: { ...good, char_limt: '100' }, field: 'char_limt', reason: 'UNKNOWN_FIELD' },
    { fields: { ...good, Action: 'translation' }, field: 'Action', reason: 'UNKNOWN_FIELD' },
    { fields: { ...good, 'char_limit ': '5' }, field: 'char_limit ', reason: 'UNKNOWN_FIELD' },
    { fields: { ...good, model: 'best' }, field: 'model', reason: 'UNKNOWN_FIELD' },
  ]);
});

test('action and target_lang are required and closed, and the answer lists what is allowed', async () => {
  const answers = await refused([
    { fields: { target_lang: 'de', text }, field: 'action', reason: 'MISSING_FIELD' },
    { fields: { ...good, action: 'Translation' }, field: 'action', reason: 'UNKNOWN_VALUE' },
    { fields: { ...good, action: '' }, field: 'action', reason: 'MISSING_FIELD' },
    { fields: { action: 'translation', text }, field: 'target_lang', reason: 'MISSING_FIELD' },
    { fields: { action: 'preview_translation', text }, field: 'target_lang', reason: 'MISSING_FIELD' },
    { fields: { action: 'glossary_extraction', text }, field: 'target_lang', reason: 'MISSING_FIELD' },
    { fields: { ...good, target_lang: 'tlh' }, field: 'target_lang', reason: 'UNSUPPORTED_LANGUAGE' },
    { fields: { ...good, target_lang: '' }, field: 'target_lang', reason: 'MISSING_FIELD' },
    { fields: { ...good, target_lang: 'auto' }, field: 'target_lang', reason: 'UNSUPPORTED_LANGUAGE' },
    { fields: { ...good, source_lang: 'english' }, field: 'source_lang', reason: 'UNSUPPORTED_LANGUAGE' },
    { fields: { ...good, glossary_strategy: 'Merge' }, field: 'glossary_strategy', reason: 'UNKNOWN_VALUE' },
  ]);
  for (const { body, text: answer } of answers) {
    if (body.error.details.reason === 'MISSING_FIELD' && body.error.details.field === 'target_lang') continue;
    assert.ok(body.error.details.allowed.length >= 3, answer);
  }
});

test('source and target must differ, however they are spelt', async () => {
  const same = { field: 'target_lang', reason: 'SAME_LANGUAGE' };
  await refused([
    { fields: { ...good, source_lang: 'de', target_lang: 'de' }, ...same },
    { fields: { ...good, source_lang: 'DE_at', target_lang: 'de-CH' }, ...same },
    { fields: { ...good, source_lang: 'zh', target_lang: 'zh-Hans' }, ...same },
    { fields: { ...good, source_lang: 'zh-TW', target_lang: 'zh_hant' }, ...same },
  ]);
});

test('char_limit and estimated_chars are decimal digits from 1 and nothing else', async () => {
  const malformed = [
    '0', '00', '-1', '+1', '1.0', '1.5', '1e3', '0x10', ' 5', '5 ', '1,000', '1_000', 'ten', 'NaN', 'Infinity', '١٢',
    '１２', '9999999999999999', '5\n', 'null', 'true',
  ]; // biome-ignore format: one table
  await refused(
    malformed.flatMap((value) => [
      { fields: { ...good, char_limit: value }, field: 'char_limit' },
      { fields: { ...good, estimated_chars: value }, field: 'estimated_chars' },
    ]),
  );
  const raw = ['1e3', '1.0', '-5', '0', '1E2', 'true', '[5]', '{"n":5}', 'null'];
  await refusedCalls(
    raw.map((value) => ({
      what: value,
      field: 'char_limit',
      send: () =>
        app.call('POST', '/api/v1/tasks', {
          key,
          headers: { 'content-type': 'application/json' },
          body: `{"action":"token_estimate","text":"abc","char_limit":${value}}`,
        }),
    })),
  );
});

test('exactly one source: none, an empty one, two files, or a file beside text are refused', async () => {
  const file = { content: text };
  await refused([
    { fields: { action: 'translation', target_lang: 'de' }, field: 'file', reason: 'MISSING_SOURCE' },
    { fields: { ...good, text: '' }, field: 'text', reason: 'EMPTY_SOURCE' },
  ]);
  const twoFiles = new FormData();
  for (const [name, value] of Object.entries({ action: 'translation', target_lang: 'de', char_limit: '5' }))
    twoFiles.append(name, value);
  for (const name of ['file', 'second']) twoFiles.append(name, new Blob([text]), `${name}.txt`);
  await refusedCalls([
    {
      what: 'both',
      field: 'text',
      reason: 'TWO_SOURCES',
      send: () => create(app, key, { ...good, char_limit: 5 }, { file }),
    },
    {
      what: 'two files',
      field: 'second',
      reason: 'TOO_MANY_FILES',
      send: () => app.call('POST', '/api/v1/tasks', { key, body: twoFiles }),
    },
    {
      what: 'empty file',
      reason: 'EMPTY_SOURCE',
      send: () =>
        create(app, key, { action: 'translation', target_lang: 'de', char_limit: 5 }, { file: { content: '' } }),
    },
    {
      what: 'a name beside a file',
      field: 'file_name',
      send: () =>
        create(app, key, { action: 'translation', target_lang: 'de', char_limit: 5, file_name: 'x.txt' }, { file }),
    },
  ]);
});

test('a file without char_limit needs estimated_chars, for every action', async () => {
  const actions = ['translation', 'preview_translation', 'token_estimate', 'glossary_extraction', 'preview_metadata'];
  await refusedCalls(
    actions.map((action) => ({
      what: action,
      field: 'estimated_chars',
      reason: 'MISSING_FIELD',
      send: () => create(app, key, { action, target_lang: 'de' }, { file: { content: text } }),
    })),
  );
});

test('a field sent twice is refused, in every content type', async () => {
  const form = new FormData();
  for (const [name, value] of [...Object.entries(good), ['target_lang', 'fr']] as [string, string][])
    form.append(name, value);
  const duplicate = { field: 'target_lang' };
  await refusedCalls([
    { ...duplicate, what: 'form', send: () => app.call('POST', '/api/v1/tasks', { key, body: form }) },
    {
      ...duplicate,
      what: 'urlencoded',
      send: () =>
        app.call('POST', '/api/v1/tasks', {
          key,
          body: new URLSearchParams([...Object.entries(good), ['target_lang', 'fr']]),
        }),
    },
    {
      ...duplicate,
      what: 'json',
      send: () =>
        app.call('POST', '/api/v1/tasks', {
          key,
          headers: { 'content-type': 'application/json' },
          body: `${JSON.stringify(good).slice(0, -1)},"target_lang":"fr"}`,
        }),
    },
  ]);
});

test('a glossary must be a JSON object of usable terms', async () => {
  const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
  const glossaries = [
    '{"a": "b"', 'not json', '[]', 'null', '"text"', '5', '{"a": 5}', '{"a": null}', '{"": "b"}', '{"a": ""}',
    '{"a": {"target": "b", "colour": "red"}}', '{"a": {"type": "person"}}', '{"a": {"target": "b", "gender": "dragon"}}',
    '{"a": {"target": "b", "aliases": "c"}}', '{"a": "\\ud800"}', '{"\\udfff": "b"}', deep,
    JSON.stringify({ a: 'x'.repeat(1_025) }),
  ]; // biome-ignore format: one table
  await refusedCalls(
    glossaries.map((glossary) => ({
      what: glossary.slice(0, 80),
      field: 'glossary',
      send: () => create(app, key, { ...good, glossary }, { as: 'multipart' }),
    })),
  );
});

test('metadata must be a JSON object of at most 16 strings within their lengths', async () => {
  const seventeen = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v']));
  const values = [
    '{', '[]', 'null', '"x"', '7', '{"a": 1}', '{"a": null}', '{"a": {}}', '{"": "x"}', '{"a": "\\u0000"}',
    '{"a\\u0000": "x"}', '{"a": "\\ud800"}', '{"\\udc00": "x"}', JSON.stringify(seventeen),
    JSON.stringify({ ['k'.repeat(65)]: 'v' }), JSON.stringify({ a: '𠮷'.repeat(513) }),
  ]; // biome-ignore format: one table
  await refusedCalls(
    values.map((metadata) => ({
      what: metadata.slice(0, 80),
      field: 'metadata',
      reason: 'BAD_METADATA',
      send: () => create(app, key, { ...good, metadata }, { as: 'multipart' }),
    })),
  );
});

test('text that is not well-formed Unicode is refused, never changed', async () => {
  const answers = await Promise.all([
    app.call('POST', '/api/v1/tasks', {
      key,
      headers: { 'content-type': 'application/json' },
      body: '{"action":"token_estimate","text":"half a pair: \\ud83d."}',
    }),
    app.call('POST', '/api/v1/tasks', {
      key,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'action=token_estimate&text=%ff%fe%41',
    }),
  ]);
  for (const answer of answers) assertError(answer, 400, 'BAD_REQUEST', { reason: 'INVALID_ENCODING' });
});

test('a file that cannot be read is refused with a stable reason before anything is held', async () => {
  const before = await creditsOf(app, key);
  const png = Uint8Array.from(Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ', 'base64'));
  const zip = Uint8Array.from(Buffer.from('PK\u0003\u0004 and then nothing that an archive would hold', 'latin1'));
  const cases: [content: Uint8Array<ArrayBuffer>, fileName: string, reason: string][] = [
    [png, 'picture.png', 'UNSUPPORTED_FORMAT'],
    [png, 'novel.txt', 'UNSUPPORTED_FORMAT'],
    [zip, 'novel.epub', 'UNREADABLE_SOURCE'],
    [Uint8Array.from(Buffer.from('%PDF-1.7\n')), 'novel.pdf', 'UNSUPPORTED_FORMAT'],
  ];
  await refusedCalls(
    cases.map(([content, fileName, reason]) => ({
      what: fileName,
      reason,
      send: () =>
        create(app, key, { action: 'translation', target_lang: 'de', char_limit: 10 }, { file: { content, fileName } }),
    })),
  );
  assert.deepEqual(await creditsOf(app, key), before);
});

test('an Idempotency-Key has 1 to 255 printable ASCII characters', async () => {
  await refusedCalls(
    ['', 'x'.repeat(256), 'clé', 'a\tb'].map((idempotencyKey) => ({
      what: JSON.stringify(idempotencyKey),
      field: 'Idempotency-Key',
      send: () => create(app, key, good, { idempotencyKey }),
    })),
  );
  const longest = await create(app, key, good, { idempotencyKey: `~ ${'x'.repeat(253)}` });
  assert.equal(longest.status, 201);
});

test('a char_limit that ends inside the first character is told so, and nothing is created', async () => {
  // Tasks only: one that an earlier test created may still be running.
  const tasks = (await countRows(app))['public.tasks'];
  for (const text of ['👩‍👩‍👧‍👦 waved.', 'e\u0301t\u0065\u0301', 'ત્રણ દિવસથી']) {
    const fields = { action: 'translation', target_lang: 'de', char_limit: 1, text };
    assertError(await create(app, key, fields), 400, 'BAD_REQUEST', { field: 'char_limit', reason: 'EMPTY_SOURCE' });
  }
  assert.equal((await countRows(app))['public.tasks'], tasks);
});
