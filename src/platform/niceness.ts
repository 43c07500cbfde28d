/** How much of the processor a process leaves to others. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Without privileges Linux takes one change of a group in a tenth of a second, of all processes together. */
const retryMs = 120;
const maxTries = 20;

/**
 * Linux may share processors out by session first and by niceness only inside one ("autogroup"): the processes of the database are
 * sessions of their own, and would wait as long for a nice process as for any other. So a process that leads a session gets
 * the niceness for the session too.
 *
 * @param niceness as `nice` counts
 */
export function makeNice(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // It has just ended.
    return;
  }
  if (process.platform === 'linux') makeSessionNice(pid, niceness, maxTries);
}

function makeSessionNice(pid: number, niceness: number, tries: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch (error) {
    const isTooSoon = (error as NodeJS.ErrnoException).code === 'EAGAIN';
    // A system without such groups needs nothing.
    if (isTooSoon && tries > 1) setTimeout(makeSessionNice, retryMs, pid, niceness, tries - 1).unref();
  }
}

const taskset = '/usr/bin/taskset';

/** Words to put before a command whose process leaves one processor to others from its beginning; none where that cannot be. */
export function leavingOneProcessor(): string[] {
  const processors = allowedProcessors().slice(1);
  return processors.length > 0 && existsSync(taskset) ? [taskset, '--cpu-list', processors.join()] : [];
}

/**
 * From now on the process works on all processors but one, where there are several: whoever answers a request finds that one free
 * instead of waiting until the other lets go. With `taskset` of util-linux, where it is there.
 */
export function leaveOneProcessor(pid: number): void {
  const processors = allowedProcessors().slice(1);
  if (processors.length === 0) return;
  const args = ['--all-tasks', '--pid', '--cpu-list', processors.join(), String(pid)];
  // It fails where there is no such program or the process has just ended.
  spawn(taskset, args, { stdio: 'ignore' })
    .on('error', () => {})
    .unref();
}

function allowedProcessors(): number[] {
  try {
    const [, list = ''] = /^Cpus_allowed_list:\s*([\d,-]+)$/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? [];
    return list.split(',').flatMap((range) => {
      const [first = Number.NaN, last = first] = range.split('-').map(Number);
      return Number.isNaN(first) ? [] : Array.from({ length: last - first + 1 }, (_, i) => first + i);
    });
  } catch {
    return [];
  }
}

/** The name of a process' program as Linux gives it; undefined where there is none or it is not told. */
export function programOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'latin1').trim();
  } catch {
    return undefined;
  }
}
