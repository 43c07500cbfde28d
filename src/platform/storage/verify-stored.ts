import { createHash } from 'node:crypto';
import type { Storage } from './storage.ts';

/**
 * Reads an object back and checks that it is unchanged. A task is completed only after this: a
 * partner must never be charged for an output that cannot be read. Throws StorageMissing, UNAVAILABLE.
 */
export async function verifyStored(
  storage: Storage,
  expected: { key: string; sha256: string },
  options: { signal?: AbortSignal } = {},
): Promise<boolean> {
  const { body } = await storage.get(expected.key, options);
  const hash = createHash('sha256');
  for await (const chunk of body) hash.update(chunk);
  return hash.digest('hex') === expected.sha256;
}
