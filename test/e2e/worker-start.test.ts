import { strict as assert } from 'node:assert';
import { fork, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { MessageToPart } from '../../src/cli/service-part.ts';

const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
const partMain = fileURLToPath(new URL('../../src/cli/part-main.ts', import.meta.url));

test('a worker that cannot start ends with 1, so that it is started again', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toledo-worker-start-'));
  const env = { PATH, NODE_COMPILE_CACHE, TOLEDO_DATA_DIR: dataDir };
  const child = fork(partMain, ['worker'], { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const databaseUrl = `postgresql://toledo@localhost/toledo?host=${encodeURIComponent(join(dataDir, 'nowhere'))}`;
  child.send({ order: { databaseUrl, embedded: false, isFirst: true, port: undefined } } satisfies MessageToPart);
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const ended = await new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  await rm(dataDir, { recursive: true, force: true });
  assert.deepEqual(ended, { code: 1, signal: null }, said);
  assert.match(said, /ENOENT/);
});

test('a worker that cannot be started does not end the service: it is tried again until it can', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toledo-worker-start-'));
  const program = join(folder, 'api.ts');
  const module = new URL('../../src/cli/service-part.ts', import.meta.url).href;
  // All descriptors are taken until the first start has failed.
  await writeFile(
    program,
    `import { closeSync, openSync } from 'node:fs';
    import { keepPart } from ${JSON.stringify(module)};
    const taken: number[] = [];
    try {
      for (;;) taken.push(openSync('/dev/null'));
    } catch {}
    const error = (_facts: object, text: string) => {
      console.log(text);
      for (const each of taken.splice(0)) closeSync(each);
    };
    keepPart({
      name: 'worker',
      log: { error } as never,
      database: Promise.resolve({ url: 'postgresql://nobody@127.0.0.1:1/none', embedded: false }),
    });
    setTimeout(() => {}, 20_000);`,
  );
  const parent = spawn('sh', ['-c', 'ulimit -n 80 && exec "$@"', 'sh', process.execPath, program], {
    env: { PATH, NODE_COMPILE_CACHE, TOLEDO_ENGINE: 'sandbox', TOLEDO_DATA_DIR: folder },
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
