import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('every page and package that names the oldest Node for its users names the same one', () => {
  const pages = ['README.md', 'docs/operating/install.md', 'client/README.md', 'docs/api/sdk.md'];
  const named = pages.map((path) => [path, /Node (?:from |\()(\d+) (?:on|or later)/.exec(read(path))?.[1]]);
  const packed = [...read('src/pages/downloads/packages.ts').matchAll(/node: '>=(\d+)'/g)].map(([, least]) => least);
  const packages = ['package.json', 'client/package.json'];
  const engines = packages.map((path) => /"node": ">=(\d+)"/.exec(read(path))?.[1]);
  assert.deepEqual([...new Set([...named.map(([, least]) => least), ...packed, ...engines])], ['22'], String(named));
});
