import { strict as assert } from 'node:assert';
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

test('a worker beside an API process that cannot start ends with 1, so that it is started again', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toledo-worker-start-'));
  const env = {
    PATH: process.env.PATH ?? '',
    TOLEDO_DATA_DIR: dataDir,
    TOLEDO_DATABASE_URL: `postgresql://toledo@localhost/toledo?host=${encodeURIComponent(join(dataDir, 'nowhere'))}`,
  };
  const child = fork(main, ['serve', '--role', 'worker'], { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const tooLong = setTimeout(() => child.kill('SIGKILL'), 20_000);
  const ended = await new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  clearTimeout(tooLong);
  await rm(dataDir, { recursive: true, force: true });
  assert.deepEqual(ended, { code: 1, signal: null }, said);
  assert.match(said, /ENOENT/);
});
