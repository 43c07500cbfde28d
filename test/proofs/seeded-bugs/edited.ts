import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Edit } from './bugs.ts';

/** The file with the bug in it. The text to replace must be there exactly once, or the bug is not the one described. */
export async function edited(folder: string, { file, from, to }: Edit): Promise<string> {
  const before = await readFile(join(folder, file), 'utf8');
  assert.equal(before.split(from).length - 1, 1, `the text to replace, in ${file}:\n${from}`);
  return before.replace(from, () => to);
}
