import { FileStorage } from './file-storage.ts';
import { S3Storage } from './s3-storage.ts';
import type { Storage } from './storage.ts';
import type { StorageUrl } from './storage-url.ts';

/** Opens the place that the configuration names; `directory` is where `file` keeps its objects. Throws UNAVAILABLE. */
export async function openStorage(url: StorageUrl, directory: string): Promise<Storage> {
  return url.kind === 'file' ? await FileStorage.open(directory) : new S3Storage(url);
}
