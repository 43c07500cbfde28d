import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admit } from '../../src/accounts/admit.ts';
import { hashApiKey } from '../../src/accounts/api-key.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp({ own: true, role: 'api' });
const { db, pool } = app.application.database;
const hashOf = (key: string) => hashApiKey(key, app.application.secrets.keyPepper);
const keyWithLimit = async (rateLimitPerMinute: number) => hashOf((await app.account({ rateLimitPerMinute })).key);

test('requests at the same time see the limit as if they had come one after the other', async () => {
  // With more than ten a minute, one would come back while a busy machine answers.
  for (const limit of [1, 2, 7]) {
    const hash = await keyWithLimit(limit);
    const answers = await Promise.all(Array.from({ length: limit + 5 }, () => admit(db, hash)));
    const states = answers.map((answer) => answer?.rateLimit);
    const [allowed, refused] = [true, false].map((side) => states.filter((state) => state?.allowed === side));
    assert.deepEqual([allowed?.length, refused?.length], [limit, 5]);
    assert.deepEqual(
      allowed?.map((state) => state?.remaining).sort((a = 0, b = 0) => b - a),
      Array.from({ length: limit }, (_, i) => limit - 1 - i),
    );
    for (const state of refused ?? []) assert.ok((state?.retryAfterSeconds ?? 0) >= 1);
  }
});

test('an unknown key is unknown, and others are not touched', async () => {
  const [one, other] = [await keyWithLimit(60), await keyWithLimit(60)];
  const unknown = hashOf('tol_live_unknown');
  const answers = await Promise.all([one, unknown, other, one, unknown].map((hash) => admit(db, hash)));
  assert.deepEqual(
    answers.map((answer) => answer?.rateLimit.allowed),
    [true, undefined, true, true, undefined],
  );
  assert.notEqual(answers[0]?.caller.accountId, answers[2]?.caller.accountId);
  assert.equal(answers[0]?.caller.keyId, answers[3]?.caller.keyId);
});

test('many requests with many keys never admit one too many', async () => {
  const limit = 30;
  const hashes = await Promise.all(Array.from({ length: 12 }, () => keyWithLimit(limit)));
  const started = performance.now();
  const answers: { at: number; allowed: boolean | undefined }[] = [];
  const turns = Array.from({ length: hashes.length * 60 }, (_, i) => (i * 7) % hashes.length).values();
  // As many at once as there are connections: more would only wait for one, and give up on a busy machine.
  const callers = Array.from({ length: pool.options.max }, async () => {
    for (const at of turns) {
      const answer = await admit(db, hashes[at] ?? Buffer.alloc(32));
      answers.push({ at, allowed: answer?.rateLimit.allowed });
    }
  });
  await Promise.all(callers);
  const elapsedSeconds = (performance.now() - started) / 1000;
  for (const [at] of hashes.entries()) {
    const allowed = answers.filter((answer) => answer.at === at && answer.allowed).length;
    // A token comes back every two seconds.
    assert.ok(allowed >= limit && allowed <= limit + Math.ceil(elapsedSeconds / 2), `${allowed} of ${limit}`);
  }
});

test('a request that cannot be counted is refused, and the next one is admitted again', async () => {
  const hash = await keyWithLimit(60);
  await pool.query('alter table rate_limits rename to rate_limits_away');
  try {
    await assert.rejects(admit(db, hash));
  } finally {
    await pool.query('alter table rate_limits_away rename to rate_limits');
  }
  assert.equal((await admit(db, hash))?.rateLimit.allowed, true);
});
