import { createHash } from 'node:crypto';

/** The order in which a passage shows its translations: another one for each passage, the same whenever it is shown. */
export function orderFor(engines: readonly string[], passage: number): string[] {
  const rank = (engine: string): string => createHash('sha256').update(`${passage} ${engine}`).digest('hex');
  return engines.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}
