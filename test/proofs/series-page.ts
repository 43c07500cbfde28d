/** The commands of the page about series print what the page shows. */
import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startTestApp } from '../support/test-app.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const mark = '--- next ---';

test('the commands of docs/api/series-flows.md print what the page shows', async () => {
  const app = await startTestApp();
  const folder = await mkdtemp(join(tmpdir(), 'toledo-series-page-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const text = (await readFile(join(root, 'docs/api/series-flows.md'), 'utf8'))
    .replaceAll('http://127.0.0.1:8080', app.rootUrl)
    .replace(/cp (?=scripts|src)/g, `cp ${root}`);
  // The last two begin with a series of their own: most of the time is polling, so they run beside the first four, each for a partner
  // of its own: the page asks for the latest task.
  const [begin = '', ...flows] = text.split(/^## /m);
  const together = [flows.slice(0, 4), flows.slice(4, 5), flows.slice(5)].map((part) => part.join('\n'));
  const ended = await Promise.allSettled(
    together.map(async (part, i) => {
      const cwd = join(folder, String(i));
      await mkdir(cwd);
      const { key } = await app.account({ credits: 100_000, rateLimitPerMinute: 1_000 });
      const env = { PATH: `${root}bin:${process.env.PATH ?? ''}`, TOLEDO_API_KEY: key, LANG: 'C.UTF-8' };
      const blocks = [begin, part].flatMap((page) => [
        ...page.matchAll(/^```sh\n([\s\S]*?)^```$(?:\n\n```text\n([\s\S]*?)^```$)?/gm),
      ]);
      assert.ok(blocks.length >= 2);
      const script = blocks.map(([, commands]) => `${commands}echo '${mark}'`).join('\n');
      const { stdout } = await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', script], { cwd, env });
      const printed = stdout.split(`${mark}\n`);
      for (const [n, [, commands, expected]] of blocks.entries())
        if (expected !== undefined) assert.equal(printed[n], expected, String(commands));
    }),
  );
  for (const flow of ended) if (flow.status === 'rejected') throw flow.reason;
});
