import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { revokeKey } from '../../src/accounts/account-store.ts';
import { generateApiKey } from '../../src/accounts/api-key.ts';
import { startTestApp } from '../support/test-app.ts';

/** Of its own: wrong keys from one address are counted by the process, and other tests come from the same address. */
const app = await startTestApp({ own: true });
const second = await startTestApp({ beside: app });
const usage = (options: { key?: string; headers?: Record<string, string> }) =>
  app.call('GET', '/api/v1/usage', options);

test('missing, malformed, unknown and revoked keys get one and the same answer', async () => {
  const { key } = await app.account();
  await revokeKey(app.application.database.db, key.slice(0, 13));
  const answers = [
    await usage({}),
    await usage({ headers: { authorization: 'Basic abc' } }),
    await usage({ headers: { authorization: 'Bearer' } }),
    await usage({ key: 'tol_live_short' }),
    await usage({ key: `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}` }),
    await usage({ key: generateApiKey('live') }),
    await usage({ key }),
  ];
  for (const { status, body, headers } of answers) {
    assert.equal(status, 401);
    assert.equal(headers.get('www-authenticate'), 'Bearer');
    assert.deepEqual(
      { ...body.error, request_id: '' },
      { code: 'UNAUTHORIZED', message: 'The API key is missing, unknown or revoked.', request_id: '' },
    );
  }
});

test('a revoked key is refused by the next request on every process', async () => {
  for (let round = 0; round < 20; round++) {
    const { key } = await app.account();
    assert.equal((await usage({ key })).status, 200);
    assert.equal((await second.call('GET', '/api/v1/usage', { key })).status, 200);
    await revokeKey(app.application.database.db, key.slice(0, 13));
    assert.equal((await usage({ key })).status, 401);
    assert.equal((await second.call('GET', '/api/v1/usage', { key })).status, 401);
  }
});

test('guessing is limited by address, without touching good keys from there', async () => {
  const { key } = await app.account();
  let refused: Awaited<ReturnType<typeof usage>> | undefined;
  for (let i = 0; i < 100 && !refused; i++) {
    const answer = await usage({ key: generateApiKey('live') });
    if (answer.status === 429) refused = answer;
  }
  assert.ok(refused, 'never limited');
  assert.ok(Number(refused.headers.get('retry-after')) >= 1);
  assert.equal(refused.body.error.code, 'RATE_LIMITED');
  assert.equal((await usage({ key })).status, 200);
});
