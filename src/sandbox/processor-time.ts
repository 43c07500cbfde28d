import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, whatever the kernel's own clock. */
const tickMs = 10;

/** Processor time that a process has used so far, in user and kernel mode; undefined where the system does not say (not Linux). */
export function processorMsOf(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    // The second field is the program's name in brackets, and may hold anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  } catch {
    return undefined;
  }
}
