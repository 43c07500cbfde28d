/**
 * Where a command reads its settings and writes its answer: those of the process it runs in, unless its caller gives others. Several
 * commands can run in one process at once, each with its own.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { processEnvironment } from '../config.ts';

export interface Terminal {
  env: Record<string, string | undefined>;
  stdout: Output;
  stderr: Output;
}

/** Part of a process' stream. */
export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

interface Session extends Terminal {
  exitCode: number;
}

const sessions = new AsyncLocalStorage<Session>();
/** Also for what runs outside of a command's own flow, such as the handler of a signal. */
const processSession: Session = {
  env: processEnvironment(),
  stdout: process.stdout,
  stderr: process.stderr,
  exitCode: 0,
};

export function terminal(): Session {
  return sessions.getStore() ?? processSession;
}

/** The command has said what is wrong; it ends with exit code 1. */
export function endInFailure(): void {
  terminal().exitCode = 1;
}

/** Returns the exit code. @param run gives one of its own, or 0 */
export async function onTerminal(given: Terminal | undefined, run: () => Promise<number>): Promise<number> {
  const started = given === undefined ? processSession : { ...given, exitCode: 0 };
  return (await sessions.run(started, run)) || started.exitCode;
}
