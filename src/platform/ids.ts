import { randomFillSync } from 'node:crypto';

export type IdPrefix = 'acc' | 'key' | 'task' | 'seg' | 'req' | 'top' | 'evt' | 'whk' | 'dlv' | 'rdl' | 'ser';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

const length = 26;
/** Random bytes are drawn for 64 ids at a time: one draw per id was a visible part of a small request. */
const drawn = Buffer.alloc(64 * length);
let used = drawn.length;

/** `task_` + 26 characters of base32: 130 random bits (ASVS 11.5.1 asks for 128; a UUID has 122). */
export function newId(prefix: IdPrefix): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  let id = `${prefix}_`;
  for (const end = used + length; used < end; used++) id += alphabet[(drawn[used] as number) & 31];
  return id;
}
