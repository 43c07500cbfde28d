/** Runs test files in a few processes, each of which takes the next file when it has done one. */
import { type ChildProcess, fork } from 'node:child_process';
import type { FromTestProcess, TestResult, ToTestProcess } from './messages.ts';

export interface FileResult {
  file: string;
  tests: readonly TestResult[];
  passed: boolean;
  durationMs: number;
  /** What the file printed, and why its process ended early. */
  output: string;
}

export interface RunOptions {
  processes: number;
  env: NodeJS.ProcessEnv;
  /** Only tests whose title, or whose group's, matches. */
  title?: string | undefined;
  /** Files that get a process to themselves. */
  isAlone(file: string): boolean;
  onStart(file: string): void;
  onEnd(result: FileResult): void;
}

/** Resolves when every file has been run. @param groups files that one process runs, one after another */
export async function runFiles(groups: readonly (readonly string[])[], options: RunOptions): Promise<void> {
  const isAlone = (group: readonly string[]) => group.some(options.isAlone);
  // Files that run alone come first, so that the others fill the gaps at the end.
  const alone = groups.filter(isAlone);
  const others = groups.filter((group) => !isAlone(group));
  const work = async () => {
    for (let group = alone.shift(); group !== undefined; group = alone.shift()) {
      const files = [...group];
      await runProcess(() => files.shift(), options);
    }
    const files: string[] = [];
    const next = () => {
      if (files.length === 0) files.push(...(others.shift() ?? []));
      return files.shift();
    };
    // Once more when a process has ended early.
    while (others.length > 0 || files.length > 0) await runProcess(next, options);
  };
  await Promise.all(Array.from({ length: options.processes }, work));
}

/** One process, until there are no files left or it ends early. */
function runProcess(next: () => string | undefined, { env, title, onStart, onEnd }: RunOptions): Promise<void> {
  const child = fork(new URL('test-process.ts', import.meta.url), {
    execArgv: [
      '--disable-warning=ExperimentalWarning',
      // The test library follows every promise; collecting what it keeps of them takes a fifth of the processor time otherwise.
      '--max-semi-space-size=64',
      `--test-reporter=${new URL('process-reporter.ts', import.meta.url).href}`,
      ...(title === undefined ? [] : [`--test-name-pattern=${title}`]),
    ],
    env,
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  /** Started and not reported; results of several can be on their way. */
  const running: { file: string; startedMs: number }[] = [];
  let tests: TestResult[] = [];
  let isClosed = false;
  let strayErrors = '';
  const end = (result: Omit<FileResult, 'tests' | 'durationMs' | 'output'>, durationMs: number) => {
    onEnd({ ...result, tests, durationMs, output });
    tests = [];
    output = '';
  };
  child.on('message', (message: FromTestProcess) => {
    if (message.kind === 'ready') {
      const file = next();
      if (file !== undefined) {
        running.push({ file, startedMs: performance.now() });
        onStart(file);
      }
      send(child, file === undefined ? { end: true } : { file });
    } else if (message.kind === 'result') {
      if (message.depth > 0) return void tests.push(message);
      const started = running.shift();
      if (message.fault !== '') tests.push(message);
      const passed = message.outcome !== 'failed';
      end({ file: message.name, passed }, performance.now() - (started?.startedMs ?? performance.now()));
    } else if (message.kind === 'stray-error') strayErrors += `${message.text}\n`;
    else isClosed = true;
  });
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      const place = running.shift();
      // A test that failed makes the code 1 as well, but then nothing is printed behind it.
      const passed = place === undefined && isClosed && strayErrors === '' && (code === 0 || output === '');
      if (!passed) output += `${strayErrors}The process of the tests ended with ${signal ?? code}.\n`;
      if (output !== '') end({ file: place?.file ?? 'the end of a test process', passed }, 0);
      resolve();
    });
  });
}

function send(child: ChildProcess, message: ToTestProcess): void {
  child.send(message);
}
