import { randomBytes } from 'node:crypto';

export type IdPrefix = 'acc' | 'key' | 'task' | 'seg' | 'req' | 'top' | 'evt' | 'whk' | 'dlv' | 'rdl' | 'ser';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** `task_` + 26 characters of base32: 130 random bits (ASVS 11.5.1 asks for 128; a UUID has 122). */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${Array.from(randomBytes(26), (byte) => alphabet[byte & 31]).join('')}`;
}
