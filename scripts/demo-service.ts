/** The service with nothing set up, in a folder and on a port of its own, for as long as a script runs. */
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export interface DemoService {
  baseUrl: string;
  /** Of the demo account. */
  apiKey: string;
  /** Signs in to the console, once. */
  consoleLink: string;
  /** Takes its data away. */
  stop(): Promise<void>;
}

/** The service prints its address and, on the first start, the key of a demo account. */
export async function startDemoService(dataDir: string): Promise<DemoService> {
  const settings = { TOLEDO_DATA_DIR: dataDir, TOLEDO_PORT: '0', TOLEDO_LOG_LEVEL: 'error' };
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('TOLEDO_'));
  const child = spawn(fileURLToPath(new URL('../bin/toledo', import.meta.url)), ['serve'], {
    env: { ...Object.fromEntries(inherited), ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
    // Ctrl-C goes to the script, which then stops the service.
    detached: true,
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  };
  const printed = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (output.includes('Stop with Ctrl-C')) resolve(output);
    });
    void ended.then((code) => reject(new Error(`The service ended with ${code} before it was ready.`)));
  });
  const found = (pattern: RegExp) => pattern.exec(printed)?.[0] ?? '';
  return {
    baseUrl: found(/(?<=Base URL\s+)\S+/),
    apiKey: found(/tol_live_\w+/),
    consoleLink: found(/(?<=Console\s+)\S+/),
    stop,
  };
}
