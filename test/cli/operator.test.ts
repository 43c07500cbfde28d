import { strict as assert } from 'node:assert';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createTestDatabase } from '../support/test-database.ts';
import { toledo, toledoProcess } from '../support/toledo-process.ts';

const database = await createTestDatabase();
const dataDir = await mkdtemp(join(tmpdir(), 'toledo-cli-'));
after(async () => {
  await rm(dataDir, { recursive: true, force: true });
});
const env = { TOLEDO_DATA_DIR: dataDir, TOLEDO_DATABASE_URL: database.url };

test('account create prints exactly the promised JSON', async () => {
  const { code, stdout } = await toledoProcess(
    ['account', 'create', 'Éditions du Tage', '--credits', '5000', '--rate-limit', '120', '--json'],
    env,
  );
  assert.equal(code, 0);
  const created = JSON.parse(stdout);
  assert.deepEqual(Object.keys(created), ['account_id', 'name', 'api_key', 'balance_credits', 'rate_limit_per_minute']);
  assert.match(created.account_id, /^acc_[0-9a-z]{26}$/);
  assert.match(created.api_key, /^tol_live_[0-9A-Za-z]{38}$/);
  assert.deepEqual(
    [created.name, created.balance_credits, created.rate_limit_per_minute],
    ['Éditions du Tage', 5000, 120],
  );
});

test('top-up by name, idempotent by reference, and shown in the list', async () => {
  const topUp = () => toledo(['account', 'top-up', 'éditions du tage', '250', '--reference', 'INV-1', '--json'], env);
  assert.deepEqual(
    [JSON.parse((await topUp()).stdout).applied, JSON.parse((await topUp()).stdout).applied],
    [true, false],
  );
  const table = (await toledo(['account', 'list'], env)).stdout;
  assert.match(table, /ACCOUNT +NAME +BALANCE/);
  assert.match(table, /Éditions du Tage +5,250/);
});

test('keys are created, listed by prefix and revoked', async () => {
  const key = JSON.parse((await toledo(['key', 'create', 'Éditions du Tage', '--json'], env)).stdout);
  const revoked = JSON.parse((await toledo(['key', 'revoke', key.api_key_prefix, '--json'], env)).stdout);
  assert.equal(revoked.key_id, key.key_id);
  const listed = JSON.parse((await toledo(['key', 'list', '--json'], env)).stdout);
  assert.deepEqual(
    listed.map((entry: { revoked_at: string | null }) => entry.revoked_at === null),
    [true, false],
  );
  assert.ok(!JSON.stringify(listed).includes(key.api_key));
});

const mistakes: [string[], number, RegExp][] = [
  [[], 2, /^$/],
  [['frobnicate'], 2, /"frobnicate" is not a command/],
  [['account', 'destroy'], 2, /"account destroy" is not a command; there are account create/],
  [['account', 'create'], 2, /NAME is missing/],
  [['account', 'create', 'x', '--creditz', '5'], 2, /--creditz/],
  [['account', 'create', 'x', '--credits', '1e6'], 2, /--credits must be a whole number, not "1e6"/],
  [['account', 'create', 'x', 'y'], 2, /"y" is one argument too many/],
  [['account', 'create', 'x', '--rate-limit', '0'], 1, /whole number from 1/],
  [['account', 'create', 'éditions du tage'], 1, /exists already/],
  [['account', 'top-up', 'nobody', '5'], 1, /There is no account "nobody"/],
  [['account', 'top-up', 'Éditions du Tage', '999', '--reference', 'INV-1'], 1, /was used for a top-up of 250/],
  [['key', 'revoke', 'tol_live_zzzz'], 1, /There is no key/],
  [['serve', '--role', 'king'], 2, /--role is/],
];
for (const [args, code, message] of mistakes) {
  test(`"toledo ${args.join(' ')}" fails with ${code} and one sentence`, async () => {
    // One of them by the program itself, for what the shell sees.
    const result = await (args.length === 1 ? toledoProcess : toledo)(args, env);
    assert.equal(result.code, code, result.stderr);
    assert.match(result.stderr, message);
    assert.ok(result.stderr.trim().split('\n').length === 1, result.stderr);
    assert.doesNotMatch(result.stderr, / at .*\.ts:/);
  });
}

test('faulty settings are all named at once', async () => {
  const { code, stderr } = await toledo(['account', 'list'], { ...env, TOLEDO_PORT: 'x', TOLEDO_LOG_LEVEL: 'y' });
  assert.equal(code, 1);
  assert.match(stderr, /TOLEDO_PORT[\s\S]*TOLEDO_LOG_LEVEL/);
});
