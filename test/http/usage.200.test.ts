import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { topUpAccount } from '../../src/operators/account-changes.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();

test('shows exactly the fields of the specification, plus reserved_credits', async () => {
  const { key } = await app.account({ credits: 5_000, rateLimitPerMinute: 90 });
  const { status, body } = await app.call('GET', '/api/v1/usage', { key });
  assert.equal(status, 200);
  const { period_start, period_end, ...rest } = body.data;
  assert.deepEqual(rest, {
    api_key_prefix: key.slice(0, 13),
    balance_credits: 5_000,
    reserved_credits: 0,
    period_used_credits: 0,
    rate_limit_per_minute: 90,
  });
  assert.ok(Date.parse(period_start) <= Date.now() && Date.parse(period_end) > Date.now());
  assert.match(period_start, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('an open-ended period has no end', async () => {
  const { key } = await app.account({ billingPeriod: 'open' });
  const { body } = await app.call('GET', '/api/v1/usage', { key });
  assert.equal(body.data.period_end, null);
});

test('a top-up is seen by the next call, once per reference', async () => {
  const { id, key } = await app.account({ credits: 10 });
  const { db } = app.application.database;
  assert.equal((await topUpAccount(db, 'test', id, 500, 'invoice 1')).applied, true);
  assert.equal((await topUpAccount(db, 'test', id, 500, 'invoice 1')).applied, false);
  await assert.rejects(topUpAccount(db, 'test', id, 501, 'invoice 1'), { code: 'BAD_REQUEST' });
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).body.data.balance_credits, 510);
});

test('twenty simultaneous top-ups with one reference count once', async () => {
  const { id, key } = await app.account();
  const { db } = app.application.database;
  const results = await Promise.all(Array.from({ length: 20 }, () => topUpAccount(db, 'test', id, 7, 'twenty')));
  assert.equal(results.filter((result) => result.applied).length, 1);
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).body.data.balance_credits, 7);
});

test('tells the rate limit in every answer', async () => {
  const { key } = await app.account({ rateLimitPerMinute: 60 });
  const { headers } = await app.call('GET', '/api/v1/usage', { key });
  assert.equal(headers.get('ratelimit-policy'), '"default";q=60;w=60');
  assert.match(headers.get('ratelimit') ?? '', /^"default";r=59;t=1$/);
});
