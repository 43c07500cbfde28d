import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { BriefCall, CallTotals } from './call-log.ts';
import type { SimulatedLlmOptions } from './server.ts';

export interface SimulatedLlmChild {
  url: string;
  configure(changes: Partial<SimulatedLlmOptions>): Promise<void>;
  totals(): Promise<CallTotals & { active: number }>;
  /** Every call since the last reset, in order of arrival, without those turned away for capacity. */
  calls(): Promise<BriefCall[]>;
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** The simulated server in a separate process, so that its work is not counted as ours. */
export async function spawnSimulatedLlm(options: Partial<SimulatedLlmOptions> = {}): Promise<SimulatedLlmChild> {
  const main = new URL('./main.ts', import.meta.url).pathname;
  const child: ChildProcess = spawn(process.execPath, [main, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout === null) throw new Error('the simulated server has no output');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { url, port } = JSON.parse(line) as { url: string; port: number };
  const control = async <T = CallTotals & { active: number }>(path: string, body: object): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}/_sim/${path}`, {
      method: 'POST',
      body: JSON.stringify(body, (_, value) => value ?? null),
    });
    return (await response.json()) as T;
  };
  return {
    url,
    async configure(changes) {
      await control('configure', changes);
    },
    totals: () => control('stats', {}),
    calls: () => control('calls', {}),
    async reset() {
      await control('reset', {});
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
