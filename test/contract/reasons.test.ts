import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { reasonTable } from '../../src/errors.ts';

const source = new URL('../../src/', import.meta.url);
const read = (path: URL | string) => readFileSync(path, 'utf8');

test('every word of details.reason in the code is in the table, the docs and the OpenAPI document', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const words = files.flatMap((name) =>
    [...read(new URL(name, source)).matchAll(/(?:reason: |badField\(\s*|sourceFault\()'([A-Z][A-Z_]+)'/g)].map(
      (match) => match[1] ?? '',
    ),
  );
  assert.ok(words.length > 40, `${words.length} words`);
  assert.deepEqual([...new Set(words)].filter((word) => !(word in reasonTable)).toSorted(), []);
  const page = read(new URL('../../docs/api/errors.md', import.meta.url));
  const openapi = read(new URL('../../openapi.json', import.meta.url));
  for (const word of Object.keys(reasonTable)) {
    assert.ok(page.includes(`| \`${word}\` |`), `${word} is in docs/api/errors.md`);
    assert.ok(openapi.includes(`"${word}"`), `${word} is in openapi.json`);
  }
});
