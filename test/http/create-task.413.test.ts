import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { countRows, listFiles } from '../support/stored.ts';
import { assertError, create } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp({
  role: 'api',
  env: { TOLEDO_MAX_FILE_BYTES: '2000000', TOLEDO_MAX_REQUEST_BYTES: '3000000', TOLEDO_MAX_TEXT_CHARACTERS: '1000' },
});

test('more bytes or characters than a published limit: refused under any idempotency key, and nothing is kept', async () => {
  const { key } = await app.account({ credits: 10_000_000 });
  const limits = (await app.call('GET', '/api/v1/limits', { key })).body.data;
  assert.equal(limits.max_json_request_bytes, 2 * 1024 * 1024);
  assert.deepEqual([limits.max_file_bytes, limits.max_request_bytes, limits.max_text_characters], [2e6, 3e6, 1000]);
  const [rows, files] = [await countRows(app), await listFiles(app)];
  const fields = { action: 'translation', target_lang: 'de', estimated_chars: 1 };
  const options = { idempotencyKey: 'large' };
  const glossary = JSON.stringify({ a: 'x'.repeat(1_048_576) });
  const answers = await Promise.all([
    create(app, key, fields, { ...options, file: { content: 'x'.repeat(2_000_001) } }),
    create(app, key, fields, { ...options, file: { content: 'x'.repeat(3_000_001) } }),
    create(app, key, { ...fields, text: 'x'.repeat(3_000_001) }, options),
    create(app, key, { ...fields, text: 'x'.repeat(2_097_153) }, { ...options, as: 'urlencoded' }),
    create(app, key, { ...fields, text: 'x'.repeat(1_001) }, options),
    create(app, key, { ...fields, text: 'x', metadata: 'x'.repeat(70_000) }, { ...options, as: 'multipart' }),
    create(app, key, { ...fields, text: 'x', glossary }, { ...options, as: 'multipart' }),
  ]);
  for (const [i, answer] of answers.entries()) assertError(answer, 413, 'PAYLOAD_TOO_LARGE', {}, `case ${i}`);
  assert.deepEqual(await countRows(app), rows);
  assert.deepEqual(await listFiles(app), files);
  const fits = await create(app, key, { ...fields, text: 'x'.repeat(1_000) }, options);
  assert.equal(fits.status, 201, fits.text);
});
