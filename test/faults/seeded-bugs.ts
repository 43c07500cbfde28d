/**
 * Do the tests bite? Puts one bug at a time into a copy of the repository and runs the check that must notice it:
 * `npm run test:seeded-bugs [-- [--unproven] PART_OF_A_NAME ...]`. First every check must pass without any bug, unless
 * `--unproven` says that this is known.
 */
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Edit, type SeededBug, seededBugs } from '../support/seeded-bugs.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const { values, positionals: wanted } = parseArgs({
  options: { unproven: { type: 'boolean' } },
  allowPositionals: true,
});
const bugs = seededBugs.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
/** A check that hangs because of a bug has noticed it; the time is for a busy machine. */
const timeoutMs = 180_000;

const copy = await mkdtemp(join(tmpdir(), 'toledo-bugs-'));
let missed = 0;
try {
  await copyRepository();
  for (const { name, edits } of bugs) for (const edit of edits) await edited(name, edit);
  const started = performance.now();
  if (!values.unproven) await proveSound();
  for (const bug of bugs) {
    const caught = await isCaught(bug);
    if (!caught) missed += 1;
    console.log(`${caught ? 'caught' : 'MISSED'}  ${bug.name}  (${bug.check[0]}: ${bug.check[1]})`);
  }
  console.log(
    `${bugs.length - missed} of ${bugs.length} caught in ${Math.round((performance.now() - started) / 1000)} s`,
  );
} finally {
  await rm(copy, { recursive: true, force: true });
}
process.exitCode = missed > 0 ? 1 : 0;

async function proveSound(): Promise<void> {
  const files = [...new Set(bugs.map(({ check }) => check[0]))];
  const titles = bugs.map(({ check }) => check[1]);
  const { code, output } = await runCheck(files, titles, files.length * timeoutMs);
  if (code !== 0) throw new Error(`The checks fail without any bug:\n${output}`);
}

async function copyRepository(): Promise<void> {
  const left = new Set(['node_modules', '.git', 'data']);
  await cp(repository, copy, { recursive: true, filter: (path) => !left.has(relative(repository, path)) });
  await symlink(join(repository, 'node_modules'), join(copy, 'node_modules'));
}

/** The file with the bug in it. The text to replace must be there exactly once, or the bug is not the one described. */
async function edited(name: string, { file, from, to }: Edit): Promise<string> {
  const before = await readFile(join(copy, file), 'utf8');
  const times = before.split(from).length - 1;
  if (times !== 1) throw new Error(`"${name}": the text to replace is ${times} times in ${file}:\n${from}`);
  return before.replace(from, () => to);
}

async function isCaught({ name, edits, check: [file, title] }: SeededBug): Promise<boolean> {
  const originals = new Map<string, string>();
  try {
    for (const edit of edits) {
      const path = join(copy, edit.file);
      if (!originals.has(path)) originals.set(path, await readFile(path, 'utf8'));
      await writeFile(path, await edited(name, edit));
    }
    const { code, output } = await runCheck([file], [title], timeoutMs);
    // The title itself must be among the failures: a bug that breaks the start of everything would prove nothing.
    return code !== 0 && output.split('\n').some((line) => line.includes('✖') && line.includes(title));
  } finally {
    for (const [path, text] of originals) await writeFile(path, text);
  }
}

function runCheck(
  files: readonly string[],
  titles: readonly string[],
  limitMs: number,
): Promise<{ code: number; output: string }> {
  const pattern = titles.map((title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const args = ['test/support/run-tests.ts', '--title', pattern, ...files];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: copy, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
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
