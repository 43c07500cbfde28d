import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, lstat, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { findBinaries, makeLinks } from '../../src/platform/embedded-postgres/binaries.ts';
import { testFolder } from '../support/embedded-postgres-starter.ts';

test('an installation without install scripts gets its library links at start, and is left as it is where that can be', async (t) => {
  const folder = await testFolder(t);
  const root = join(folder, 'package');
  const { postgres } = await findBinaries(join(folder, 'unused'));
  // As npm unpacks it: files, no links.
  await cp(dirname(dirname(postgres)), join(root, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: async (source) => !source.endsWith('share') && !(await lstat(source)).isSymbolicLink(),
  });
  // Without PATH and the like, so that only the given variables can help.
  const runs = (env: Record<string, string>) =>
    spawnSync(join(root, 'native', 'bin', 'initdb'), ['--version'], { env, encoding: 'utf8' }).status === 0;
  assert.equal(runs({}), false);
  assert.equal(runs(await makeLinks(root, join(folder, 'aside'))), true);
  assert.equal(runs({}), false);
  // As another release left it, which is still there.
  const link = join(folder, 'aside', 'libicuuc.so.60');
  await rm(link);
  await symlink(postgres, link);
  assert.equal(runs(await makeLinks(root, join(folder, 'aside'))), true);
  assert.deepEqual(await makeLinks(root, join(folder, 'aside'), 'darwin'), {});
  assert.equal(runs({}), true, 'macOS leads no program by a variable, so there the package is completed');
  await rm(join(root, 'native', 'lib', 'libicuuc.so.60'));
  assert.deepEqual(await makeLinks(root, join(folder, 'a:b')), {});
  assert.equal(runs({}), true, 'a variable cannot lead to a folder with a colon');
});
