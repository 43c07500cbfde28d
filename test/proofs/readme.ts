/** Every command of the README does what the README says. */
import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type CommandResult, type ServeProcess, startCommand, toledo } from '../support/toledo-process.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const commands = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap((block) =>
  (block[1] as string).trim().split('\n'),
);

const scripts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts;
const dataDir = await mkdtemp(join(tmpdir(), 'toledo-readme-'));
const env: Record<string, string> = {
  TOLEDO_DATA_DIR: dataDir,
  TOLEDO_PORT: '0',
  TOLEDO_TRY: 'on',
  // As in a shell of this project: its own Node first.
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  npm_config_update_notifier: 'false',
};
let service: ServeProcess | undefined;
after(async () => {
  await stop();
  await rm(dataDir, { recursive: true, force: true });
});

test('the README shows commands in sh blocks', () => {
  assert.ok(commands.length >= 8, commands.join('\n'));
});

for (const command of commands) {
  // The install and the whole test run cannot be part of a test: what they come down to is checked instead.
  // The demo makes whole books: `npm run prove demo` runs it.
  if (command === 'npm run demo') {
    test('README: "npm run demo" is a script', () => assert.match(scripts.demo, /scripts\/demo\.ts$/));
  } else if (command === 'npm cit') {
    test('README: "npm cit" runs the check and every test', () => {
      assert.match(scripts.test, /npm run check && .*run-tests\.ts$/);
    });
  } else if (/(^| )npm start$/.test(command)) {
    test(`README: "${command}" starts the service and says how to call it`, async () => {
      await stop();
      const start = command.replace(/^npm ci && /, '').replace(/TOLEDO_PORT=\d+ /, 'TOLEDO_PORT=0 ');
      // As in a terminal, where the log and the greeting go to the same place.
      const shell = `exec ${start.replace(/^(TOLEDO_PORT=0 )/, 'env $1')} 2>&1`;
      service = await startCommand('sh', ['-c', shell], env, root);
      const greeting = /Toledo is running[\s\S]*Stop with Ctrl-C/.exec(service.stdout())?.[0] ?? '{';
      assert.doesNotMatch(greeting, /^\{/m, 'no line of the log is inside the greeting');
      env.TOLEDO_API_KEY ??= /Bearer (tol_live_\w{38})/.exec(service.stdout())?.[1] ?? '';
      assert.ok(env.TOLEDO_API_KEY, 'no key was printed');
    });
  } else {
    test(`README: "${command}" works`, async () => {
      const { code, stdout, stderr } = await run(command);
      assert.equal(code, 0, stderr);
      assert.doesNotMatch(stdout, /"success":false/);
      assert.notEqual(stdout.trim(), '');
    });
  }
}

test('Ctrl-C to "npm start" reaches the service, which ends with 0', async () => {
  assert.deepEqual(await stop(), { code: 0, signal: null });
});

/** Of the commands that begin with it only the first needs npx, which takes seconds to find bin/toledo. */
const firstOfNpx = commands.find((command) => command.startsWith('npx toledo '));

/** At the address of this test's service. */
async function run(command: string): Promise<CommandResult> {
  const here = command.replaceAll('http://127.0.0.1:8080', service?.rootUrl ?? '');
  if (command === firstOfNpx || !here.startsWith('npx toledo ')) return await inShell(here);
  const { stdout } = await inShell(`printf '%s\\n' ${here.slice('npx toledo '.length)}`);
  return await toledo(stdout.trimEnd().split('\n'), env);
}

async function stop(): ReturnType<() => ServeProcess['exited']> {
  const running = service;
  service = undefined;
  running?.child.kill('SIGINT');
  return (await running?.exited) ?? { code: null, signal: null };
}

function inShell(command: string): Promise<CommandResult> {
  return new Promise((resolve) => {
    execFile(
      'sh',
      ['-c', command],
      { cwd: root, env: { HOME: process.env.HOME ?? '', ...env } },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
  });
}
