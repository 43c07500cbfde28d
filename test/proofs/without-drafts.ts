/** Installations that leave the draft models or their runtime out. */
import { strict as assert } from 'node:assert';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createTestDatabase } from '../support/test-database.ts';
import { startCommand, toledo } from '../support/toledo-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'toledo-without-'));
after(() => rm(folder, { recursive: true, force: true }));

/** What an installation has, as far as the service needs it. */
async function install(name: string, { packages, models }: { packages: (name: string) => boolean; models: string[] }) {
  const own = join(folder, name);
  await mkdir(join(own, 'node_modules'), { recursive: true });
  for (const part of ['bin', 'client', 'docs', 'migrations', 'src', 'package.json'])
    await cp(join(root, part), join(own, part), { recursive: true });
  for (const model of models) {
    await mkdir(join(own, 'models'), { recursive: true });
    await symlink(join(root, 'models', model), join(own, 'models', model));
  }
  for (const one of await readdir(join(root, 'node_modules')))
    if (packages(one)) await symlink(join(root, 'node_modules', one), join(own, 'node_modules', one));
  return own;
}

/** Greeting and pairs of the service that is installed there, and how it answers a task. */
async function started(own: string) {
  const database = await createTestDatabase();
  const env = {
    TOLEDO_DATA_DIR: join(own, 'data'),
    TOLEDO_DATABASE_URL: database.url,
    TOLEDO_PORT: '0',
    TOLEDO_ENGINE: '',
  };
  const service = await startCommand(join(own, 'bin/toledo'), ['serve'], env, own);
  try {
    const account = await toledo(['account', 'create', 'Reader', '--json'], env);
    const authorization = `Bearer ${JSON.parse(account.stdout).api_key}`;
    const languages = await fetch(`${service.rootUrl}/api/v1/languages`, { headers: { authorization } });
    const body = new URLSearchParams({ action: 'translation', source_lang: 'fr', target_lang: 'en', text: 'Bonjour.' });
    const created = await fetch(`${service.rootUrl}/api/v1/tasks`, {
      method: 'POST',
      headers: { authorization },
      body,
    });
    return {
      greeting: service.stdout(),
      pairs: ((await languages.json()) as { data: { pairs: unknown[] } }).data.pairs,
      refusal: (await created.json()) as { error?: { details?: { reason?: string } } },
    };
  } finally {
    service.child.kill('SIGTERM');
    await service.exited;
  }
}

test('without the runtime the service starts, says what is missing, and refuses what it cannot translate', async () => {
  const own = await install('no-runtime', {
    packages: (name) => !name.startsWith('onnxruntime'),
    models: ['draft-to-en', 'draft-from-en'],
  });
  const { greeting, pairs, refusal } = await started(own);
  assert.match(
    greeting,
    /built-in does not work here: .*onnxruntime-node.* not installed .*Nothing is translated by it/,
  );
  assert.deepEqual(pairs, []);
  assert.equal(refusal.error?.details?.reason, 'NO_ENGINE_FOR_PAIR');
});

test('without the models the service starts, says which are missing, and serves what the others do', async () => {
  const none = await started(await install('no-models', { packages: () => true, models: [] }));
  assert.match(none.greeting, /models\/draft-to-en and models\/draft-from-en are not installed/);
  assert.deepEqual(none.pairs, []);
  const one = await started(await install('one-model', { packages: () => true, models: ['draft-from-en'] }));
  assert.match(
    one.greeting,
    /drafts from English into French, Spanish, offline \(models\/draft-to-en is not installed\)/,
  );
  assert.deepEqual(one.pairs, [{ source: ['en'], target: ['es', 'fr'], quality: 'draft' }]);
});
