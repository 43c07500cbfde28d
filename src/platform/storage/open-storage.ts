import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { FileStorage } from './file-storage.ts';
import type { Storage } from './storage.ts';
import { parseStorageUrl } from './storage-url.ts';

/** Opens the place that the configuration names. Throws UNAVAILABLE. */
export async function openStorage({ storage, dataDir }: Pick<Config, 'storage' | 'dataDir'>): Promise<Storage> {
  const url = parseStorageUrl(storage);
  if (url.kind === 'file') return await FileStorage.open(join(dataDir, 'files'));
  // A service that keeps its objects in files need not load the client.
  const { S3Storage } = await import('./s3-storage.ts');
  return new S3Storage(url);
}
