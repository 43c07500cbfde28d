import { strict as assert } from 'node:assert';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { seededBugs } from '../support/seeded-bugs.ts';

test('every seeded bug can still be put in: its text is in the source exactly once, and its check exists', () => {
  assert.ok(seededBugs.length >= 15);
  for (const { name, edits, check } of seededBugs) {
    for (const { file, from } of edits)
      assert.equal(readFileSync(file, 'utf8').split(from).length - 1, 1, `${name}: ${file}`);
    assert.ok(existsSync(check[0]) && readFileSync(check[0], 'utf8').length > 0, `${name}: ${check[0]}`);
  }
});
