/** How a proof learns how much it has to do. Every proof has two sizes: `npm run prove all` runs the short one, `npm run prove NAME` the long one. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface ProofRun {
  size: number;
  seed: number;
  isLong: boolean;
  /** Arguments of `npm run prove` that are not numbers. */
  names: string[];
}

/** A short run always has the same seed. A long one takes a new seed each time, and says which, so that it can be repeated. */
export function proofRun({ short, long, seed = 1 }: { short: number; long: number; seed?: number }): ProofRun {
  const [mode, ...given] = process.argv.slice(2);
  if (mode !== 'long') return { size: short, seed, isLong: false, names: [] };
  const isNumber = (argument: string) => /^\d+(\.\d+)?$/.test(argument);
  const [size = long, longSeed = Date.now() % 2 ** 31] = given.filter(isNumber).map(Number);
  console.log(`size ${size}, seed ${longSeed}`);
  return { size, seed: longSeed, isLong: true, names: given.filter((argument) => !isNumber(argument)) };
}

/** What of these is not there, as one line each. @param programs name or path, and where it comes from */
export function missingPrograms(programs: Record<string, string>): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return Object.entries(programs)
    .filter(([program]) => !existsSync(program) && !folders.some((folder) => existsSync(join(folder, program))))
    .map(([program, source]) => `${program}: ${source}`);
}

/** Ends the process with one clear message when a program is missing. */
export function requirePrograms(programs: Record<string, string>): void {
  const missing = missingPrograms(programs);
  if (missing.length === 0) return;
  for (const program of missing) console.error(`This proof needs ${program}`);
  process.exit(1);
}
