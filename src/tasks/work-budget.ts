/**
 * How much memory and processor time a piece of work on a text may take. Both grow with the text, so that a small text cannot
 * take what only a large one needs. Both are several times what any novel we know has needed.
 */
import type { SourceFile } from '../documents/source-jobs.ts';
import type { JobOptions } from '../sandbox/sandbox.ts';

/** Processes are kept warm at this size, which is enough for texts of up to 1.5 million characters. */
export const usualMemoryMb = 512;

/**
 * 20 MB of wrapped text are read in 1.4 s; many times that is certainly not a novel. Processor time, because a busy machine says
 * nothing about a file; but the client that sent it waits for the answer, and not for ever.
 */
const readLimit = { processorMs: 60_000, timeoutMs: 240_000 };

/** For reading a source. */
export function readBudget({ sizeBytes }: SourceFile): JobOptions {
  return { ...readLimit, memoryMb: memoryFor(sizeBytes * 40) };
}

/** For reading a glossary, which is at most a megabyte. */
export const glossaryBudget: JobOptions = { ...readLimit, memoryMb: usualMemoryMb };

/** For corrections and the book that they are of: both are in memory as a whole. */
export function correctionBudget(sentBytes: number, bookCharacters: number): JobOptions {
  return { ...readLimit, memoryMb: memoryFor(sentBytes * 12 + bookCharacters * 20) };
}

/** For everything that is done with a book between its source and its outputs. The lanes of the worker say how many there are. */
export function bookBudget({ sizeBytes }: SourceFile, characters: number): JobOptions {
  return {
    startsAtOnce: true,
    processorMs: 30_000 + characters * 0.05,
    memoryMb: memoryFor(Math.max(sizeBytes * 40, characters * 120)),
    blame: 'processing',
  };
}

/** Up to this size a text takes little more than the process it is in. The slots of the lanes bound how many there are. */
const lightCharacters = 1_000_000;

/** What a text counts for where texts are admitted by size: its characters; 0 = it need not ask. */
export function weightOf({ sizeBytes }: SourceFile, characters: number): number {
  const weight = Math.max(characters, sizeBytes / 4);
  return weight <= lightCharacters ? 0 : weight;
}

const ownMemoryMb = 320;

/** In steps, so that most texts find a warm process. */
function memoryFor(bytes: number): number {
  return Math.ceil((ownMemoryMb + bytes / 1e6) / usualMemoryMb) * usualMemoryMb;
}
