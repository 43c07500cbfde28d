import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

export interface ProgramResult {
  /** null when the program could not be started or was ended by a signal. */
  code: number | null;
  output: string;
}

/** Runs a short program to its end and never rejects: a missing program is `code: null`. With `detached`, what it started ends with it. */
export function runProgram(
  file: string,
  args: readonly string[],
  options: SpawnOptions & { timeoutMs: number },
): Promise<ProgramResult> {
  const { timeoutMs, ...spawnOptions } = options;
  return new Promise((resolve) => {
    let output = '';
    let child: ChildProcess;
    try {
      child = spawn(file, [...args], { ...spawnOptions, stdio: ['ignore', 'pipe', 'pipe'] });
    } catch (error) {
      // spawn() throws at once when uid or gid may not be set (EPERM) or the folder is out of reach (EACCES).
      resolve({ code: null, output: String(error) });
      return;
    }
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    child.on('exit', () => {
      if (spawnOptions.detached && child.pid !== undefined) killGroup(child.pid);
    });
    const collect = (part: Buffer) => {
      if (output.length < 64_000) output += part.toString();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.on('error', (error) => {
      clearTimeout(timer);
      resolve({ code: null, output: String(error) });
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const end = isLate ? `it did not end within ${timeoutMs / 1000} s` : `ended by ${signal}`;
      resolve({ code, output: signal ? `${output}\n${end}` : output });
    });
  });
}

/** The processes that a program has left behind. */
function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // There are none.
  }
}
