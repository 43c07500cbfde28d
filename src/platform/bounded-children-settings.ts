/** What may be said about a job in a child, and about all children of a process. */
import type { Blame } from './bounded-child-faults.ts';
import { OwnerLoad } from './owner-load.ts';

export interface BoundedOptions {
  /** From the moment a child takes the job; waiting in the queue does not count. For jobs that do not wait. */
  timeoutMs?: number;
  /** Processor time of the job. Measured on Linux; elsewhere only for jobs without a host, by the clock. */
  processorMs?: number;
  /** JavaScript heap of the child. Buffers and the like may use the same amount again. */
  memoryMb: number;
  /** Owner of the input: while one input of an owner is slow, that owner's next inputs wait for it. */
  owner?: string;
  /** Nobody waits for every second of it: it runs at a lower priority, and leaves the warm children to others. */
  isBackground?: boolean;
  signal?: AbortSignal;
  blame?: Blame;
}

export interface BoundedChildrenSettings {
  /** Where the time of jobs is noted, and who else is there. */
  load?: OwnerLoad;
  /** Jobs without a host at the same time, not counting slow ones. Jobs with a host start at once: their caller admits them. */
  concurrency?: number;
  /** A job that has used this much processor time is slow: it goes on beside the others, at a low priority. */
  slowAfterMs?: number;
  /** Slow jobs that may run beside the others. */
  maxSlow?: number;
  /** Children kept ready, with the modules of `preload` loaded. */
  idle?: number;
  /** The same for work in the background: a book would wait half a second for its process. */
  idlePatient?: number;
  idleMemoryMb?: number;
  /** What a waiting child for work in the background can be given for a large text, where the system can limit and raise it. */
  patientMayGrowToMb?: number;
  /** Children beyond `idle` are kept this long for the next job. */
  idleMs?: number;
  preload?: readonly URL[];
  /** Folders that a job may read, besides our own code; any file when left out. */
  readable?: readonly string[];
  /** Folders that a job may write; none when left out. */
  writable?: readonly string[];
  /** After so many jobs a child is replaced, so that a slow leak in a parser never matters. */
  jobsPerChild?: number;
  maxQueued?: number;
  maxResultBytes?: number;
}

export function withDefaults(settings: BoundedChildrenSettings): Required<BoundedChildrenSettings> {
  return {
    load: new OwnerLoad(),
    concurrency: 2,
    // A novel of 2 MB is read in a fifth of this time; one of 20 MB continues at the lower priority.
    slowAfterMs: 1_000,
    maxSlow: 8,
    idle: 2,
    idlePatient: 0,
    idleMemoryMb: 512,
    patientMayGrowToMb: 0,
    idleMs: 30_000,
    preload: [],
    readable: [],
    writable: [],
    // With 100, a busy process was always starting a child: 127 and 136 creates a second, against 262 and 170 with 1,000.
    jobsPerChild: 1_000,
    maxQueued: 500,
    maxResultBytes: 64 * 1024 * 1024,
    ...settings,
  };
}
