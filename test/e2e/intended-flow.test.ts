import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openArchive } from '../../src/documents/archive/archive.ts';
import { startTestApp } from '../support/test-app.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const app = await startTestApp();
const { key } = await app.account({ credits: 100_000 });
const folder = await mkdtemp(join(tmpdir(), 'toledo-flow-'));
after(() => rm(folder, { recursive: true, force: true }));

test('the commands of docs/api/intended-flow.md lead from a key to a translated book, and answer as the page shows', async () => {
  const page = await readFile(join(root, 'docs/api/intended-flow.md'), 'utf8');
  const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((block) => block[1] as string);
  assert.ok(commands.length >= 10);
  const script = commands
    .join('\necho\n')
    .replaceAll('http://127.0.0.1:8080', app.rootUrl)
    .replace('=scripts/', `=${root}scripts/`);
  const env = { PATH: process.env.PATH ?? '', TOLEDO_API_KEY: key };
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env });
  assert.doesNotMatch(stdout, /"success":false/);
  const answers = stdout.split('\n').flatMap((line) => (line.startsWith('{"success"') ? [JSON.parse(line)] : []));
  const shown = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map((block) => JSON.parse(block[1] as string));
  assert.deepEqual(
    shown.map(({ data }) => Object.keys(data)),
    answers.map(({ data }) => Object.keys(data)),
    'the page shows the fields that the service answers with',
  );
  assert.match(await readFile(join(folder, 'novel.en.md'), 'utf8'), /Calm Harbour/);
});

/** The samples of the quickstart's one paste, in order: curl, TypeScript, Python. */
const pastes = async () => {
  const page = (await readFile(join(root, 'docs/api/quickstart.md'), 'utf8')).replaceAll(
    'http://127.0.0.1:8080',
    app.rootUrl,
  );
  return (lang: string) =>
    [...page.matchAll(new RegExp(`^\`\`\`${lang}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code);
};

test('the quickstart is a translated book in one paste, and ends where a task fails or is refused', async () => {
  const [, paste = ''] = (await pastes())('sh');
  const { key: testKey } = await app.newKey((await app.account()).id, 'test');
  const pasted = (script: string, apiKey: string) =>
    promisify(execFile)('sh', ['-c', script], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', TOLEDO_API_KEY: apiKey },
    });
  const { stdout } = await pasted(paste, testKey);
  assert.match(stdout, /sample\.fr\.epub/);
  assert.equal(openArchive(await readFile(join(folder, 'sample.fr.epub'))).has('OEBPS/c1.xhtml'), true);
  const stopped = (error: { stdout: string; code: number }) => {
    assert.equal(error.code, 1);
    assert.match(error.stdout, /"status":"failed"|"code":"UNAUTHORIZED"/);
    return true;
  };
  await assert.rejects(pasted(paste.replace('target_lang=fr', 'target_lang=fr-x-fail'), testKey), stopped);
  await assert.rejects(pasted(paste, 'tol_test_wrong'), stopped);
});

test('the TypeScript of the quickstart runs as it is shown', async () => {
  const [code = ''] = (await pastes())('ts');
  const { key: testKey } = await app.newKey((await app.account()).id, 'test');
  const own = await mkdtemp(join(folder, 'ts-'));
  const client = new URL('../../client/src/index.ts', import.meta.url).href;
  await writeFile(join(own, 'quickstart.mts'), code.replace("'@toledo/client'", `'${client}'`));
  const env = { PATH: process.env.PATH ?? '', TOLEDO_API_KEY: testKey };
  const { stdout } = await promisify(execFile)(process.execPath, ['quickstart.mts'], { cwd: own, env });
  assert.match(stdout, /sample\.fr\.epub\n$/);
});
