import { createReadStream } from 'node:fs';
import { AppError } from '../../errors.ts';
import type { Db } from '../../platform/postgres.ts';
import { outputFileName } from '../../platform/storage/content-disposition.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { verifyStored } from '../../platform/storage/verify-stored.ts';
import { noteOutputs } from '../object-store.ts';
import type { Task, TaskOutput } from '../task.ts';
import type { Attempt } from './attempt.ts';
import type { WrittenFile } from './write-files.ts';

/** Stores every file and reads it back by checksum: nothing is charged for what cannot be read. @throws UNAVAILABLE, Fenced */
export async function storeOutputs(
  { db, storage }: { db: Db; storage: Storage },
  {
    task,
    attempt,
    files,
    signal,
  }: { task: Task; attempt: Attempt; files: readonly WrittenFile[]; signal: AbortSignal },
): Promise<TaskOutput[]> {
  // The attempt is part of the key, so a worker that lost the task can never overwrite the winner's file.
  const keyOf = ({ fileId }: Pick<WrittenFile, 'fileId'>): string => `outputs/${task.id}/${attempt.number}-${fileId}`;
  await noteOutputs(db, attempt, files.map(keyOf));
  const storeOne = async ({ fileId, path, extension, mediaType }: WrittenFile): Promise<TaskOutput> => {
    const key = keyOf({ fileId });
    const stored = await storage.put(key, createReadStream(path), { mediaType, signal });
    if (!(await verifyStored(storage, stored, { signal }))) {
      throw new AppError('UNAVAILABLE', 'A stored output could not be read back.', { retryAfterSeconds: 5 });
    }
    const { targetLang = 'en' } = task;
    const word = nameWords[fileId] ?? fileId;
    const tag = word === '' ? targetLang : `${targetLang}.${word}`;
    const fileName = outputFileName(task.fileName, tag, extension);
    return { fileId, fileName, mediaType, storageKey: key, sizeBytes: stored.sizeBytes, sha256: stored.sha256 };
  };
  // Side by side, because each of them waits for the disk or the network. All have ended before a fault is told: whoever
  // removes what was stored must not be overtaken.
  const stored = await Promise.allSettled(files.map(storeOne));
  return stored.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** What stands in the file's name; nothing where the extension says it all. */
const nameWords: Record<string, string> = { translated: '', xliff: '', tmx: '', glossary_tbx: 'glossary' };
