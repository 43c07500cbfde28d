import { FileStorage } from './file-storage.ts';
import type { Storage } from './storage.ts';
import type { StorageUrl } from './storage-url.ts';

/** Opens the place that the configuration names; `directory` is where `file` keeps its objects. Throws UNAVAILABLE. */
export async function openStorage(url: StorageUrl, directory: string): Promise<Storage> {
  if (url.kind === 'file') return await FileStorage.open(directory);
  // A service that keeps its objects in files need not load the client.
  const { S3Storage } = await import('./s3-storage.ts');
  return new S3Storage(url);
}
