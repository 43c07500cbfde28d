import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { seededBugs } from '../proofs/seeded-bugs/bugs.ts';
import { edited } from '../proofs/seeded-bugs/edited.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

test('every seeded bug can still be put in: its text is in the source exactly once, and its check exists', async () => {
  assert.ok(seededBugs.length >= 15);
  for (const { edits, check } of seededBugs) {
    for (const edit of edits) await edited(repository, edit);
    assert.ok((await readFile(join(repository, check[0]), 'utf8')).length > 0);
  }
});
