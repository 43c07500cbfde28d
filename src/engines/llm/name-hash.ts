import { createHash } from 'node:crypto';

/** A stable name for a partner or a book that tells a provider nothing about them. */
export function nameHash(id: string): string {
  return createHash('sha256').update(`toledo ${id}`).digest('hex').slice(0, 32);
}
