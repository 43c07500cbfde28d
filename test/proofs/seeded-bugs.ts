/**
 * Do the tests notice bugs? Puts one bug at a time into a copy of the repository and runs the check that must notice
 * it. The short run takes the first bugs only; `test/contract/seeded-bugs.test.ts` shows that every one can still be put in.
 * Parts of names choose bugs: `npm run prove seeded-bugs rate "a hold"`. Size: bugs.
 */
import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { proofRun } from '../support/proof.ts';
import { type SeededBug, seededBugs } from './seeded-bugs/bugs.ts';
import { edited } from './seeded-bugs/edited.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const { size, names } = proofRun({ short: 2, long: seededBugs.length });
const chosen = seededBugs.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)));
const bugs = chosen.slice(0, size);
assert.ok(bugs.length > 0, `no bug has a name with ${names.join(' or ')}`);
/** A check that hangs because of a bug has noticed it; the time is for a busy machine. */
const timeoutMs = 180_000;

let copy = '';
before(async () => {
  copy = await mkdtemp(join(tmpdir(), 'toledo-bugs-'));
  await copyRepository(copy);
});
after(() => rm(copy, { recursive: true, force: true, maxRetries: 5 }));

test('without a bug every check passes', async () => {
  const files = [...new Set(bugs.map(({ check }) => check[0]))];
  const titles = bugs.map(({ check }) => check[1]);
  const { code, output } = await runCheck(copy, files, titles, files.length * timeoutMs);
  assert.equal(code, 0, output);
});

for (const bug of bugs)
  test(`caught: ${bug.name} (${bug.check[0]}: ${bug.check[1]})`, async () => assert.ok(await isCaught(copy, bug)));

async function copyRepository(copy: string): Promise<void> {
  const left = new Set(['node_modules', '.git', 'data']);
  await cp(repository, copy, { recursive: true, filter: (path) => !left.has(relative(repository, path)) });
  await symlink(join(repository, 'node_modules'), join(copy, 'node_modules'));
}

async function isCaught(copy: string, { edits, check: [file, title] }: SeededBug): Promise<boolean> {
  const originals = new Map<string, string>();
  try {
    for (const edit of edits) {
      const path = join(copy, edit.file);
      if (!originals.has(path)) originals.set(path, await readFile(path, 'utf8'));
      await writeFile(path, await edited(copy, edit));
    }
    const { code, output } = await runCheck(copy, [file], [title], timeoutMs);
    // The title itself must be among the failures: a bug that breaks the start of everything would prove nothing.
    return code !== 0 && output.split('\n').some((line) => line.includes('✖') && line.includes(title));
  } finally {
    for (const [path, text] of originals) await writeFile(path, text);
  }
}

function runCheck(
  copy: string,
  files: readonly string[],
  titles: readonly string[],
  limitMs: number,
): Promise<{ code: number; output: string }> {
  const pattern = titles.map((title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const args = ['test/support/run-tests.ts', '--title', pattern, ...files];
  return new Promise((resolve) => {
    // Not as a child of a test: a runner inside a runner reports to its parent instead of printing.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const child = spawn(process.execPath, args, { cwd: copy, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    // SIGTERM to the whole group: the test runner, its files and the database server end together.
    const timer = setTimeout(() => process.kill(-(child.pid as number), 'SIGTERM'), limitMs);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? 1, output });
    });
  });
}
