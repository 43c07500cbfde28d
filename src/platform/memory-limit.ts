/** How much memory a child process may map, held by the kernel: what the heap limit does not see, such as Buffers, counts too. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Of util-linux. */
const prlimit = '/usr/bin/prlimit';

/** Writable memory that Node 26 maps at its start and leaves untouched for the most part; the limit counts what is mapped. */
const mappedMb = { x64: 582, arm64: 306 };
const spareMb = 58;

export function canLimitMemory(): boolean {
  return existsSync(prlimit);
}

/**
 * How large the heap of a process may be from the start that has the limit of `memoryMb`. A heap that is full says so, a process that cannot map
 * more dies without a word: the heap's own limit has to come first.
 */
export function mostHeapMb(memoryMb: number): number {
  return canLimitMemory() ? Math.floor(memoryMb * 1.6) : memoryMb;
}

/** Words to put before the command of a process; none where that cannot be. @param mayGrowToMb how far the limit can be raised later */
export function withMemory(memoryMb: number, mayGrowToMb: number): string[] {
  return canLimitMemory() ? [prlimit, dataLimit(memoryMb, mayGrowToMb), '--core=0', '--'] : [];
}

/** Lets a process use more, up to what it was started with. Where that fails, the process has ended or finds out when it needs it. */
export async function raiseMemory(pid: number, memoryMb: number, mayGrowToMb: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  try {
    spawn(prlimit, ['--pid', String(pid), dataLimit(memoryMb, mayGrowToMb)], { stdio: 'ignore' })
      .on('error', () => resolve())
      .on('close', () => resolve());
  } catch {
    // No process can be started just now.
    resolve();
  }
  await promise;
}

function dataLimit(memoryMb: number, mayGrowToMb: number): string {
  return `--data=${dataBytes(memoryMb)}:${dataBytes(mayGrowToMb)}`;
}

/** Buffers and the like may use as much as the heap. */
function dataBytes(memoryMb: number): number {
  const startMb = process.arch === 'arm64' ? mappedMb.arm64 : mappedMb.x64;
  return (startMb + spareMb + memoryMb * 2) * 1024 * 1024;
}
