import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const second = await startTestApp({ beside: app });

test('200 parallel calls over two processes against a limit of 60: exactly 60 pass, plus one per elapsed second', async () => {
  const { key } = await app.account({ rateLimitPerMinute: 60 });
  const started = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) => (i % 2 ? app : second).call('GET', '/api/v1/usage', { key })),
  );
  const elapsedSeconds = (performance.now() - started) / 1000;
  const passed = answers.filter((answer) => answer.status === 200).length;
  assert.ok(passed >= 60 && passed <= 60 + Math.ceil(elapsedSeconds), `${passed} passed in ${elapsedSeconds} s`);
  for (const { status, headers, body } of answers.filter((answer) => answer.status !== 200)) {
    assert.equal(status, 429);
    assert.equal(body.error.code, 'RATE_LIMITED');
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.equal(headers.get('ratelimit'), `"default";r=0;t=${headers.get('retry-after')}`);
  }
});

test('waiting for Retry-After is enough, a refused call costs nothing, and less waiting is not enough', async () => {
  const { key } = await app.account({ rateLimitPerMinute: 20 });
  const usage = () => app.call('GET', '/api/v1/usage', { key });
  // On a slow machine one more may pass while the burst is being used up; the first refusal is what counts.
  let refused = await usage();
  for (let i = 0; refused.status === 200 && i < 60; i++) refused = await usage();
  assert.equal(refused.status, 429);
  const refusedAtMs = performance.now();
  const waitSeconds = Number(refused.headers.get('retry-after'));
  assert.ok(waitSeconds >= 1 && waitSeconds <= 3, `3 s between requests, told to wait ${waitSeconds}`);
  const tooEarly = () => performance.now() - refusedAtMs < (waitSeconds - 1) * 1000;
  while (tooEarly()) {
    const { status } = await usage();
    assert.ok(
      status === 429 || !tooEarly(),
      `passed ${performance.now() - refusedAtMs} ms after being told ${waitSeconds} s`,
    );
    await sleep(50);
  }
  await sleep(Math.max(0, waitSeconds * 1000 - (performance.now() - refusedAtMs)));
  assert.equal((await usage()).status, 200);
});

test('keys of one account have limits of their own', async () => {
  const { id, key } = await app.account({ rateLimitPerMinute: 1 });
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).status, 200);
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).status, 429);
  const { issueKey } = await import('../../src/accounts/open-account.ts');
  const other = await issueKey(app.application.database.db, id, 'live', app.application.secrets.keyPepper);
  assert.equal((await app.call('GET', '/api/v1/usage', { key: other.key })).status, 200);
});
