/** The packages that the service offers for download are installed and used: the client and the command line. */
import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const { key } = await app.account({ credits: 77 });
const folder = await mkdtemp(join(tmpdir(), 'toledo-install-'));
after(() => rm(folder, { recursive: true, force: true }));
const env = {
  ...process.env,
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  TOLEDO_API_KEY: key,
  TOLEDO_BASE_URL: `${app.rootUrl}/api/v1`,
};
const run = (program: string, args: string[]) => promisify(execFile)(program, args, { cwd: folder, env });

test('client and command line install with npm from the running service into an empty folder, and work', async () => {
  await writeFile(join(folder, 'package.json'), '{"type": "module", "private": true}');
  const packages = ['toledo-client.tgz', 'toledo-cli.tgz'].map((name) => `${app.rootUrl}/downloads/${name}`);
  await run('npm', ['install', '--no-audit', '--no-fund', ...packages]);
  await writeFile(
    join(folder, 'use.ts'),
    `import { Toledo, type UsageRecord } from '@toledo/client';
const toledo = new Toledo({ baseUrl: process.env.TOLEDO_BASE_URL ?? '', apiKey: process.env.TOLEDO_API_KEY ?? '' });
const usage: UsageRecord = await toledo.usage();
console.log(usage.balance_credits);`,
  );
  assert.equal((await run(process.execPath, ['use.ts'])).stdout.trim(), '77');
  assert.match((await run(join(folder, 'node_modules/.bin/toledo'), ['usage'])).stdout, /Balance\s+77 credits/);
  const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
  const types = fileURLToPath(new URL('../../node_modules/@types', import.meta.url));
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'esnext',
    '--types',
    'node',
    '--typeRoots',
    types,
  ];
  await run(process.execPath, [tsc, ...options, 'use.ts']);
});
