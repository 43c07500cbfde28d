import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp({ own: true });

test('an unknown address is 404 in the envelope, without asking for a key', async () => {
  for (const path of [
    '/nothing',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v1/usage/',
    '/api/v2/usage',
    '/api/v1/usage%2f..',
  ]) {
    const { status, body } = await app.call('GET', path);
    assert.equal(status, 404, path);
    assert.equal(body.error.code, 'NOT_FOUND');
  }
});

test('a base URL without its version is told where the API begins', async () => {
  const { status, body } = await app.call('GET', '/usage');
  assert.equal(status, 404);
  assert.match(body.error.message, /ends in \/api\/v1/);
});

test('a wrong method is 405 with Allow, before the key is judged', async () => {
  const { status, body, headers } = await app.call('PATCH', '/api/v1/usage');
  assert.equal(status, 405);
  assert.equal(headers.get('allow'), 'GET, HEAD');
  assert.equal(body.error.code, 'METHOD_NOT_ALLOWED');
});

test('a path that is not valid UTF-8 is 400', async () => {
  const { status, body } = await app.call('GET', '/api/v1/%ff%fe');
  assert.equal(status, 400);
  assert.equal(body.error.details.reason, 'BAD_PATH');
});

test('health, readiness and metrics need no key and have no limit', async () => {
  for (let i = 0; i < 70; i++) assert.equal((await app.call('GET', '/healthz')).status, 200);
  assert.equal((await app.call('GET', '/readyz')).body.data.status, 'ready');
  const metrics = await app.call('GET', '/metrics');
  assert.match(metrics.text, /toledo_http_requests_total\{method="GET",route="\/healthz",status="200"\} 70/);
});

test('languages and limits are published behind the key', async () => {
  const { key } = await app.account({ rateLimitPerMinute: 33 });
  assert.equal((await app.call('GET', '/api/v1/languages')).status, 401);
  const languages = (await app.call('GET', '/api/v1/languages', { key })).body.data.languages;
  assert.ok(languages.length >= 60);
  assert.deepEqual(languages.find((language: { code: string }) => language.code === 'ar').direction, 'rtl');
  const limits = (await app.call('GET', '/api/v1/limits', { key })).body.data;
  assert.equal(limits.max_file_bytes, 50 * 1024 * 1024);
  assert.equal(limits.rate_limit_per_minute, 33);
});
