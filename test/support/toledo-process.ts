/** Runs the command line: in this process, or as the real program in a child process. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { loadCommands } from '../../src/cli/command-groups.ts';
import { runCommand } from '../../src/cli/run-command.ts';

const binary = fileURLToPath(new URL('../../bin/toledo', import.meta.url));

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** In this process: the same code without the second that a program takes to start. Not for `serve`, which ends its process. */
export async function toledo(args: string[], env: Record<string, string>): Promise<CommandResult> {
  const printed = { stdout: '', stderr: '' };
  const into = (name: keyof typeof printed) => ({
    write(text: string) {
      printed[name] += text;
    },
  });
  const given = { env: childEnvironment(env), stdout: into('stdout'), stderr: into('stderr') };
  const code = await runCommand(await loadCommands(args[0]), args, given);
  return { code, ...printed };
}

export function toledoProcess(args: string[], env: Record<string, string>, cwd?: string): Promise<CommandResult> {
  return startToledo(args, env, cwd).ended;
}

/** A command that goes on until it is told to stop. */
export function startToledo(
  args: string[],
  env: Record<string, string>,
  cwd?: string,
): { child: ChildProcess; ended: Promise<CommandResult> } {
  const { promise, resolve } = Promise.withResolvers<CommandResult>();
  const child = execFile(binary, args, { env: childEnvironment(env), cwd }, (error, stdout, stderr) => {
    resolve({ code: error ? Number((error as { code?: unknown }).code ?? 1) : 0, stdout, stderr });
  });
  return { child, ended: promise };
}

export interface ServeProcess {
  child: ChildProcess;
  pid: number;
  rootUrl: string;
  /** Everything printed so far. */
  stdout: () => string;
  stderr: () => string;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Resolves when the service has printed its base URL, or a separate worker has logged its port. */
export function startServe(env: Record<string, string>, args: string[] = []): Promise<ServeProcess> {
  return startCommand(binary, ['serve', ...args], env);
}

/** A separate worker process; resolves when it takes jobs. */
export function startWorkerProcess(env: Record<string, string>): Promise<ServeProcess> {
  return startServe({ TOLEDO_LOG_LEVEL: 'info', TOLEDO_PORT: '0', ...env }, ['--role', 'worker']);
}

/** The same for another command that comes down to `toledo serve`. */
export async function startCommand(
  command: string,
  args: string[],
  env: Record<string, string>,
  cwd?: string,
): Promise<ServeProcess> {
  const child = spawn(command, args, { cwd, env: childEnvironment(env), stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal })),
  );
  const rootUrl = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const found = /Base URL\s+(\S+)\/api\/v1[\s\S]*Stop with Ctrl-C/.exec(stdout)?.[1];
      if (found) return resolve(found);
      // A worker beside an API has no port, so the two cannot be confused.
      const port = /"role":"worker","port":(\d+),"msg":"ready"/.exec(stderr)?.[1];
      if (port) resolve(`http://127.0.0.1:${port}`);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    void exited.then(({ code }) => reject(new Error(`serve ended with ${code}: ${stderr}`)));
  });
  return { child, pid: child.pid as number, rootUrl, stdout: () => stdout, stderr: () => stderr, exited };
}

/** Without the example of the front page: it is a task, and most tests count theirs. Compiled code is shared with the tests. */
function childEnvironment(env: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, TOLEDO_ENGINE: 'sandbox', TOLEDO_TRY: 'off', ...env };
}
