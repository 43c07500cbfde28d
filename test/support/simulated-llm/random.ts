import { hashText } from '../../../src/engines/sandbox/pseudo-words.ts';

/** A number in [0, 1) that depends only on its keys, so the order of calls does not matter. */
export function seeded(seed: number, ...keys: (string | number)[]): number {
  return hashText(keys.join('\u0001'), seed) / 0x1_0000_0000;
}
