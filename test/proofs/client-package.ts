/** The package of the client is packed, installed and used as a partner would: from JavaScript, CommonJS and TypeScript. */
import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CreateTaskParameters } from '../../client/src/index.ts';
import { clientVersion } from '../../client/src/index.ts';
import type { TaskForm } from '../../client/src/wire-types.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const scratch = await mkdtemp(join(tmpdir(), 'toledo-scratch-'));
after(() => rm(scratch, { recursive: true, force: true }));

/** The machine's own Node, whatever it is, besides the one that runs the tests. */
const outside = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
/** Does not compile when a field of POST /tasks is missing in the client, or one too many. */
const sameFields: Same<keyof CreateTaskParameters, keyof TaskForm> = true;

test('the client takes exactly the fields of POST /tasks, and names its own version', async () => {
  assert.ok(sameFields);
  assert.equal(JSON.parse(await readFile(join(root, 'client/package.json'), 'utf8')).version, clientVersion);
});

test('the tarball installs into a project of its own and works as ES module, as CommonJS and for TypeScript', async () => {
  const packed = await run('npm', ['pack', '--json', '--pack-destination', scratch], { cwd: join(root, 'client') });
  const [tarball] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('[')));
  const names: string[] = tarball.files.map((file: { path: string }) => file.path);
  assert.ok(
    names.includes('README.md') && names.includes('dist/esm/index.d.ts') && names.includes('dist/cjs/index.js'),
  );
  assert.ok(!names.some((name) => name.startsWith('src/')));

  await writeFile(join(scratch, 'package.json'), '{"name": "scratch", "private": true}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(scratch, tarball.filename)], {
    cwd: scratch,
  });

  const use = `
    const client = new Toledo({ baseUrl: 'http://127.0.0.1:1/api/v1', apiKey: 'tol_live_x', maxRetries: 0 });
    client.usage().catch((error) => {
      if (!(error instanceof ConnectionError)) throw error;
      console.log(error.code);
    });`;
  await writeFile(join(scratch, 'try.mjs'), `import { ConnectionError, Toledo } from '@toledo/client';${use}`);
  await writeFile(join(scratch, 'try.cjs'), `const { ConnectionError, Toledo } = require('@toledo/client');${use}`);
  for (const [node, env] of [
    ['node', { ...process.env, PATH: outside }],
    [process.execPath, process.env],
  ] as const) {
    for (const file of ['try.mjs', 'try.cjs']) {
      const { stdout, stderr } = await run(node, [join(scratch, file)], { env });
      assert.equal(`${stdout}${stderr}`, 'CONNECTION_FAILED\n', `${node} ${file}`);
    }
  }

  await symlink(join(root, 'node_modules/@types'), join(scratch, 'node_modules/@types'));
  await writeFile(
    join(scratch, 'typed.mts'),
    `import { type Task, Toledo } from '@toledo/client';
     export const made = (client: Toledo): Promise<Task> => client.createTask({ action: 'translation', text: 'x', target_lang: 'en' });
     // @ts-expect-error there is no such action
     export const wrong = (client: Toledo) => client.createTask({ action: 'translate', text: 'x' });`,
  );
  await writeFile(
    join(scratch, 'typed.cts'),
    `import toledo = require('@toledo/client'); export const made: string = toledo.clientVersion;`,
  );
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, ...flags, 'typed.mts', 'typed.cts'], { cwd: scratch }).catch((error) => {
    assert.fail(error.stdout);
  });
});
