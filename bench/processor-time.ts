/** Processor time of this process and of all that descend from it: on a busy machine it says more than the clock. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The clock ticks of Linux are hundredths of a second. */
const tickMs = 10;

interface Process {
  parent: number;
  /** Its own. */
  ms: number;
  /** Of its children that have ended. */
  endedMs: number;
  program: string;
}

export function processorTime(): { ownMs: number; descendantsMs: number } {
  const { user, system } = process.cpuUsage();
  const descendantsMs = descendants().reduce((sum, { ms, endedMs }) => sum + ms + endedMs, 0);
  return { ownMs: (user + system) / 1_000, descendantsMs };
}

/** Of the service and what it is measured with, in milliseconds; processes of texts by the process that has started them. */
export type SharesOfProcessor = Record<
  'api' | 'api texts' | 'worker' | 'books' | 'database' | 'engine' | 'client',
  number
>;

export function sharesOfProcessor(): SharesOfProcessor {
  const { user, system } = process.cpuUsage();
  const shares = {
    api: 0,
    'api texts': 0,
    worker: 0,
    books: 0,
    database: 0,
    engine: 0,
    client: (user + system) / 1_000,
  };
  const found = descendants();
  const byPid = new Map(found.map((one) => [one.pid, one]));
  for (const { program, parent, ms, endedMs } of found) {
    if (program.includes('simulated-llm')) shares.engine += ms + endedMs;
    else if (/^\S*(?:postgres|initdb)\b/.test(program)) shares.database += ms + endedMs;
    else if (program.includes('sandbox-process-main'))
      shares[isWorker(byPid.get(parent)?.program ?? '') ? 'books' : 'api texts'] += ms + endedMs;
    else if (isWorker(program)) {
      shares.worker += ms;
      shares.books += endedMs;
    } else {
      shares.api += ms;
      shares['api texts'] += endedMs;
    }
  }
  return shares;
}

/** As `toledo serve` starts it beside an API, and alone. */
function isWorker(program: string): boolean {
  return /part-main\.ts worker|--role worker/.test(program);
}

/** So much in a second is next to nothing; a process that warms up takes twice that, with pauses. */
const restMs = 80;
const restSeconds = 5;

/** Until all that descend from this process have had next to nothing to do for some seconds, such as getting ready for what may come; not for ever. */
export async function untilAtRest(timeoutMs = 40_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let quiet = 0;
  for (let before = processorTime().descendantsMs; Date.now() < deadline && quiet < restSeconds; ) {
    await sleep(1_000);
    const after = processorTime().descendantsMs;
    quiet = after - before <= restMs ? quiet + 1 : 0;
    before = after;
  }
}

function descendants(): (Process & { pid: number })[] {
  const found = new Map<number, Process>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      // The name of the program is in brackets and may hold anything.
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ticks = (at: number): number => Number(fields[at]);
      const program = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const [ms, endedMs] = [(ticks(11) + ticks(12)) * tickMs, (ticks(13) + ticks(14)) * tickMs];
      found.set(Number(name), { parent: ticks(1), ms, endedMs, program });
    } catch {
      // It has ended meanwhile.
    }
  }
  const descends = (pid: number): boolean => {
    const parent = found.get(pid)?.parent ?? 0;
    return parent === process.pid || (parent > 1 && descends(parent));
  };
  return [...found].filter(([pid]) => descends(pid)).map(([pid, one]) => ({ pid, ...one }));
}
