import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { ConfigError, loadConfig, settingNames } from '../../src/config.ts';

const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
const assignments = [...example.matchAll(/^(TOLEDO_\w+)=(.*)$/gm)].map(
  (match) => [match[1] as string, match[2] as string] as const,
);

test('.env.example lists every setting once and no other', () => {
  assert.deepEqual(assignments.map(([name]) => name).sort(), [...settingNames].sort());
});

test('.env.example holds the defaults', () => {
  const { variable: _ours, ...fromExample } = loadConfig(Object.fromEntries(assignments));
  const { variable: _theirs, ...defaults } = loadConfig({});
  assert.deepEqual(fromExample, defaults);
});

test('docs/operating/settings.md lists every setting once, with its default', () => {
  const page = readFileSync(new URL('../../docs/operating/settings.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(TOLEDO_\w+)` \| (?:`([^`]*)`)? *\|/gm)].map((row) => [row[1], row[2] ?? '']);
  assert.deepEqual(Object.fromEntries(rows), Object.fromEntries(assignments));
  assert.equal(rows.length, assignments.length);
});

test("a partner's variables in the same shell are no fault", () => {
  assert.doesNotThrow(() => loadConfig({ TOLEDO_API_KEY: 'x', TOLEDO_BASE_URL: 'x' }));
});

test('all faults are reported at once, by name', () => {
  const broken = {
    TOLEDO_PORT: '80a',
    TOLEDO_PUBLIC_URL: 'ftp://x',
    TOLEDO_DATABASE_URL: 'mysql://x/y',
    TOLEDO_STORAGE: 'tape',
    TOLEDO_SECRET: 'short',
    TOLEDO_LOG_LEVEL: 'loud',
    TOLEDO_TRUST_PROXY: 'maybe',
    TOLEDO_PROT: '8080',
  };
  assert.throws(
    () => loadConfig(broken),
    (error) =>
      error instanceof ConfigError &&
      Object.keys(broken).every((name) => error.faults.some((fault) => fault.startsWith(name))),
  );
});

test('an address around a pooler without one through it is a fault', () => {
  assert.throws(
    () => loadConfig({ TOLEDO_DATABASE_DIRECT_URL: 'postgresql://user@host/db' }),
    (error) => error instanceof ConfigError && error.faults.length === 1,
  );
});

test('secrets never print', () => {
  const secret = 'a'.repeat(40);
  const config = loadConfig({ TOLEDO_SECRET: secret, TOLEDO_DATABASE_URL: 'postgresql://user:hidden@host/db' });
  for (const shown of [JSON.stringify(config), inspect(config, { depth: 5 }), String(config.secret)]) {
    assert.ok(!shown.includes(secret) && !shown.includes('hidden'), shown);
  }
});
