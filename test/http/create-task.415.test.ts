import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { countRows } from '../support/stored.ts';
import { assertError } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp({ role: 'api' });
const body = JSON.stringify({ action: 'token_estimate', text: 'The lamp was out.' });

test('content types and encodings that are not accepted are refused, and nothing is kept', async () => {
  const { key } = await app.account();
  const rows = await countRows(app);
  const types = ['text/plain', 'application/xml', 'application/octet-stream', 'multipart/mixed; boundary=x', 'json'];
  const send = (headers: Record<string, string>) =>
    app.call('POST', '/api/v1/tasks', { key, headers: { 'idempotency-key': 'k', ...headers }, body });
  for (const type of types) assertError(await send({ 'content-type': type }), 415, 'UNSUPPORTED_MEDIA_TYPE', {}, type);
  assertError(
    await send({ 'content-type': 'application/json', 'content-encoding': 'gzip' }),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  );
  assertError(await send({ 'content-type': 'application/json; charset=latin1' }), 415, 'UNSUPPORTED_MEDIA_TYPE');
  assert.deepEqual(await countRows(app), rows);
  assert.equal((await send({ 'content-type': 'application/json; charset=UTF-8' })).status, 201);
});
