/** Runs the real command line as a child process. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const binary = fileURLToPath(new URL('../../bin/toledo', import.meta.url));

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

export function toledo(args: string[], env: Record<string, string>): Promise<CommandResult> {
  return new Promise((resolve) => {
    execFile(binary, args, { env: childEnvironment(env) }, (error, stdout, stderr) => {
      resolve({ code: error ? Number((error as { code?: unknown }).code ?? 1) : 0, stdout, stderr });
    });
  });
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

/** Resolves when the service has printed its base URL. */
export function startServe(env: Record<string, string>, args: string[] = []): Promise<ServeProcess> {
  return startCommand(binary, ['serve', ...args], env);
}

/** The same for another command that comes down to `toledo serve`. */
export async function startCommand(
  command: string,
  args: string[],
  env: Record<string, string>,
  cwd?: string,
): Promise<ServeProcess> {
  return await startUntil(/Base URL\s+(\S+)\/api\/v1[\s\S]*Stop with Ctrl-C/, command, args, env, cwd);
}

/** A worker process of its own; resolves when it takes jobs. It has no address. */
export function startWorkerProcess(env: Record<string, string>): Promise<ServeProcess> {
  return startUntil(/"msg":"ready"()/, binary, ['serve', '--role', 'worker'], { TOLEDO_LOG_LEVEL: 'info', ...env });
}

async function startUntil(
  ready: RegExp,
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
      const found = ready.exec(stdout)?.[1] ?? ready.exec(stderr)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    void exited.then(({ code }) => reject(new Error(`serve ended with ${code}: ${stderr}`)));
  });
  return { child, pid: child.pid as number, rootUrl, stdout: () => stdout, stderr: () => stderr, exited };
}

function childEnvironment(env: Record<string, string>): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env };
}
