import { hashText } from '../../../src/engines/sandbox/pseudo-words.ts';

/** A number in [0, 1) that depends on nothing but its keys: the same run whatever order the calls arrive in. */
export function seeded(seed: number, ...keys: (string | number)[]): number {
  return hashText(keys.join('\u0001'), seed) / 0x1_0000_0000;
}
