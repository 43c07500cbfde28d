import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
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
