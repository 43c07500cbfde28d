import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAdmissions } from '../../src/accounts/admit.ts';
import { hashApiKey } from '../../src/accounts/api-key.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp({ role: 'api' });
const { pool } = app.application.database;
const hashOf = (key: string) => hashApiKey(key, app.application.secrets.keyPepper);
const keyWithLimit = async (rateLimitPerMinute: number) => hashOf((await app.account({ rateLimitPerMinute })).key);

test('requests admitted together see the limit as if they had come one after the other', async () => {
  for (const limit of [1, 7, 60]) {
    const admissions = createAdmissions(pool);
    const hash = await keyWithLimit(limit);
    const answers = await Promise.all(Array.from({ length: limit + 5 }, () => admissions.admit(hash)));
    const states = answers.map((answer) => answer?.rateLimit);
    const [allowed, refused] = [true, false].map((side) => states.filter((state) => state?.allowed === side));
    assert.deepEqual([allowed?.length, refused?.length], [limit, 5]);
    // Two statements may be under way at once, so the order is open; what each sees as left is not.
    assert.deepEqual(
      allowed?.map((state) => state?.remaining).sort((a = 0, b = 0) => b - a),
      Array.from({ length: limit }, (_, i) => limit - 1 - i),
    );
    for (const state of refused ?? []) assert.ok((state?.retryAfterSeconds ?? 0) >= 1);
  }
});

test('an unknown key among known ones is unknown, and the others are not touched', async () => {
  const admissions = createAdmissions(pool);
  const [one, other] = [await keyWithLimit(60), await keyWithLimit(60)];
  const unknown = hashOf('tol_live_unknown');
  const answers = await Promise.all([one, unknown, other, one, unknown].map((hash) => admissions.admit(hash)));
  assert.deepEqual(
    answers.map((answer) => answer?.rateLimit.allowed),
    [true, undefined, true, true, undefined],
  );
  assert.notEqual(answers[0]?.caller.accountId, answers[2]?.caller.accountId);
  assert.equal(answers[0]?.caller.keyId, answers[3]?.caller.keyId);
});

test('many processes with the same keys in any order neither deadlock nor admit one too many', async () => {
  const limit = 30;
  const hashes = await Promise.all(Array.from({ length: 12 }, () => keyWithLimit(limit)));
  const processes = Array.from({ length: 4 }, () => createAdmissions(pool));
  const steps = [1, 5, 7, 11];
  const started = performance.now();
  const requests = processes.flatMap((admissions, p) =>
    Array.from({ length: hashes.length * 15 }, (_, i) => {
      // Each process goes through the keys in another order.
      const at = (i * (steps[p] ?? 1) + p) % hashes.length;
      return admissions
        .admit(hashes[at] ?? Buffer.alloc(32))
        .then((answer) => ({ at, allowed: answer?.rateLimit.allowed }));
    }),
  );
  const answers = await Promise.all(requests);
  const elapsedSeconds = (performance.now() - started) / 1000;
  for (const [at] of hashes.entries()) {
    const allowed = answers.filter((answer) => answer.at === at && answer.allowed).length;
    // A token comes back every two seconds.
    assert.ok(allowed >= limit && allowed <= limit + Math.ceil(elapsedSeconds / 2), `${allowed} of ${limit}`);
  }
});

test('a statement that fails refuses all who shared it, and the next ones are admitted again', async () => {
  const admissions = createAdmissions(pool);
  const hash = await keyWithLimit(60);
  await pool.query('alter table rate_limits rename to rate_limits_away');
  try {
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => admissions.admit(hash)));
    assert.ok(answers.every(({ status }) => status === 'rejected'));
  } finally {
    await pool.query('alter table rate_limits_away rename to rate_limits');
  }
  assert.equal((await admissions.admit(hash))?.rateLimit.allowed, true);
});
