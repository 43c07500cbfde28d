import { strict as assert } from 'node:assert';
import { fork, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
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

test('a worker that cannot be started beside the API does not end it: it is tried again until it can', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toledo-worker-start-'));
  const program = join(folder, 'api.ts');
  const module = new URL('../../src/cli/worker-process.ts', import.meta.url).href;
  // All descriptors are taken until the first start has failed.
  await writeFile(
    program,
    `import { closeSync, openSync } from 'node:fs';
    import { keepWorker } from ${JSON.stringify(module)};
    const taken: number[] = [];
    try {
      for (;;) taken.push(openSync('/dev/null'));
    } catch {}
    const error = (_facts: object, text: string) => {
      console.log(text);
      for (const each of taken.splice(0)) closeSync(each);
    };
    keepWorker('postgresql://nobody@127.0.0.1:1/none', { error } as never);
    setTimeout(() => {}, 20_000);`,
  );
  const parent = spawn('sh', ['-c', 'ulimit -n 80 && exec "$@"', 'sh', process.execPath, program], {
    env: { PATH: process.env.PATH ?? '', TOLEDO_ENGINE: 'sandbox', TOLEDO_DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const said: string[] = [];
  for await (const chunk of parent.stdout) {
    said.push(...String(chunk).trim().split('\n'));
    if (said.length >= 2) parent.kill();
  }
  await rm(folder, { recursive: true, force: true });
  assert.deepEqual(said.slice(0, 2), [
    'the worker process could not be started; trying again',
    'the worker process ended; starting it again',
  ]);
});
