/**
 * Changed keys are refused without a look into the database, no key is stored or logged, and a revoked key is refused
 * everywhere at once. Size: changed keys.
 */
import { strict as assert } from 'node:assert';
import { after, test } from 'node:test';
import { revokeKey } from '../../src/accounts/account-store.ts';
import { generateApiKey } from '../../src/accounts/api-key.ts';
import { LeanClient } from '../support/lean-client.ts';
import { proofRun } from '../support/proof.ts';
import { placesOf } from '../support/stored.ts';
import { run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { startServe } from '../support/toledo-process.ts';

const { size: guesses, isLong } = proofRun({ short: 400, long: 10_000 });
const rounds = Math.ceil(guesses / 100);
const lines: string[] = [];
const logDestination = { write: (line: string) => void lines.push(line) };
// Every guess from an address of its own: the limit by address must not answer in the key's place.
const env = { TOLEDO_TRUST_PROXY: 'true', TOLEDO_LOG_LEVEL: 'debug' };
const app = await startTestApp({ env, logDestination });
const client = new LeanClient(8);
after(() => client.close());
const usage = (rootUrl: string, key: string, from = '10.0.0.1') =>
  client.send('GET', `${rootUrl}/api/v1/usage`, { key, headers: { 'x-forwarded-for': from } });

test(`${guesses} changed keys are refused with 401, without one look into the database when the check digits are wrong`, async (context) => {
  const { key } = await app.account({ rateLimitPerMinute: 100_000 });
  let looks = 0;
  const count = () => {
    looks += 1;
  };
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const changed = (n: number) => {
    const at = 9 + (n % (key.length - 9));
    const other = alphabet[(alphabet.indexOf(key[at] as string) + 1 + (n % 61)) % 62];
    const mutations = [
      () => key.slice(0, at) + other + key.slice(at + 1),
      () => key.slice(0, at) + key.slice(at + 1),
      () => key.slice(0, at) + other + key.slice(at),
      () => key.replace('live', 'test'),
      () => key.slice(0, 9) + [...key.slice(9)].reverse().join(''),
      () => `${key}${other}`,
      () => key.toUpperCase(),
      () => key.slice(0, at),
    ];
    return (mutations[n % mutations.length] as () => string)();
  };
  app.application.database.pool.on('acquire', count);
  const numbers = Array.from({ length: guesses }, (_, i) => i).values();
  const guesser = async () => {
    for (const n of numbers) {
      const { status, text } = await usage(app.rootUrl, changed(n), `10.${n % 200}.${(n >> 8) % 200}.${n % 251}`);
      assert.equal(status, 401, `${changed(n)}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, guesser));
  app.application.database.pool.off('acquire', count);
  // A worker in the same process may look for work meanwhile; a look for each guess would be thousands.
  context.diagnostic(`${looks} connections taken from the pool during ${guesses} guesses`);
  assert.ok(looks < 100, `${looks}`);
  assert.equal((await usage(app.rootUrl, key)).status, 200);
});

test('neither the database, nor a file, nor a log line holds a key; 10,000 keys are all different and evenly random', async () => {
  for (let i = 0; i < 10; i++) {
    const { key } = await app.account({ credits: 100 });
    await run(app, key, { action: 'token_estimate', text: 'The lamp was out.' });
    assert.deepEqual(await placesOf(app, key.slice(13)), []);
    assert.ok(!lines.join('').includes(key.slice(13)));
  }
  const keys = Array.from({ length: 10_000 }, () => generateApiKey('live'));
  assert.equal(new Set(keys).size, keys.length);
  const counts = new Map<string, number>();
  for (const key of keys) for (const char of key.slice(9, 41)) counts.set(char, (counts.get(char) ?? 0) + 1);
  const expected = (10_000 * 32) / 62;
  const chiSquare = [...counts.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
  // 61 degrees of freedom: above 130 once in a million.
  assert.ok(counts.size === 62 && chiSquare < 130, `${chiSquare}`);
  assert.ok(32 * Math.log2(62) >= 128);
});

test(`${rounds} revocations: 401 on three processes at once, and the download URLs of the key are dead`, async (context) => {
  const settings = { TOLEDO_DATA_DIR: app.dataDir, TOLEDO_DATABASE_URL: app.databaseUrl, TOLEDO_PORT: '0', ...env };
  const processes = await Promise.all(Array.from({ length: 3 }, () => startServe(settings, ['--role', 'api'])));
  context.after(async () => {
    for (const { child } of processes) child.kill('SIGKILL');
    await Promise.all(processes.map(({ exited }) => exited));
  });
  const { id, key: owner } = await app.account({ credits: 1_000 });
  const task = await run(app, owner, { action: 'translation', target_lang: 'de', text: 'The lamp was out.' });
  let slowestMs = 0;
  for (let round = 0; round < rounds; round++) {
    const { id: keyId, key } = await app.newKey(id);
    const link = await app.call('GET', `/api/v1/tasks/${task.task_id}/download`, { key });
    const path = link.body.data.download_url.slice(app.rootUrl.length);
    const statuses = () =>
      Promise.all(
        processes.flatMap(({ rootUrl }) => [
          usage(rootUrl, key, `10.0.1.${round}`).then(({ status }) => status),
          client.send('GET', rootUrl + path).then(({ status }) => status),
        ]),
      );
    assert.deepEqual(await statuses(), [200, 200, 200, 200, 200, 200]);
    await revokeKey(app.application.database.db, keyId);
    const revokedAt = performance.now();
    assert.deepEqual(await statuses(), [401, 403, 401, 403, 401, 403], `round ${round}`);
    slowestMs = Math.max(slowestMs, performance.now() - revokedAt);
  }
  context.diagnostic(`the slowest of ${rounds} rounds was refused everywhere after ${Math.round(slowestMs)} ms`);
  assert.ok(!isLong || slowestMs < 1_000);
});
