/** Processor time of this process and of all that descend from it: on a busy machine it says more than the clock. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

/** The clock ticks of Linux are hundredths of a second. */
const tickMs = 10;

export function processorTime(): { ownMs: number; descendantsMs: number } {
  const found = new Map<number, { parent: number; ms: number }>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      // The name of the program is in brackets and may hold anything.
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ms = (Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14])) * tickMs;
      found.set(Number(name), { parent: Number(fields[1]), ms });
    } catch {
      // It has ended meanwhile.
    }
  }
  const descends = (pid: number): boolean => {
    const parent = found.get(pid)?.parent ?? 0;
    return parent === process.pid || (parent > 1 && descends(parent));
  };
  const { user, system } = process.cpuUsage();
  const descendantsMs = [...found].reduce((sum, [pid, { ms }]) => sum + (descends(pid) ? ms : 0), 0);
  return { ownMs: (user + system) / 1_000, descendantsMs };
}
