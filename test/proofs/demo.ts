/** `npm run demo` makes a book of each sample, says where to read it, and ends by itself. Size: samples. */
import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { proofRun } from '../support/proof.ts';

const { size } = proofRun({ short: 1, long: 3 });
const root = fileURLToPath(new URL('../../', import.meta.url));
// As in a shell of this project: its own Node first.
const env = {
  HOME: process.env.HOME ?? '',
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  npm_config_update_notifier: 'false',
};

for (const sample of ['fr', 'en', 'es'].slice(0, size))
  test(`the demo in ${sample}`, async () => {
    const { stdout } = await promisify(execFile)('npm', ['run', 'demo', sample], { cwd: root, env });
    assert.match(
      stdout,
      /correct it:\n {2}http:\/\/127\.0\.0\.1:\d+\/read\/rdl_\w{26}\/[\w-]{43}\/\n.*it ends now.*\n$/,
    );
  });
