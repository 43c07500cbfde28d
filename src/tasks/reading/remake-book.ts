/** The book once more, with its corrections: the same source and the same translations, so nothing is translated and nothing charged. */
import { createHash } from 'node:crypto';
import { packTexts } from '../../documents/packed-texts.ts';
import { AppError } from '../../errors.ts';
import { outputFileName } from '../../platform/storage/content-disposition.ts';
import { verifyStored } from '../../platform/storage/verify-stored.ts';
import { forgetObjects, noteSource } from '../object-store.ts';
import { rangeOf, type SourceFiles } from '../source-files.ts';
import type { Task, TaskOutput } from '../task.ts';
import { lockTask, replaceOutput } from '../task-store.ts';
import type { CorrectionDependencies } from './correct-task.ts';
import { openBook } from './read-book.ts';

const remakeTimeoutMs = 120_000;

/** @throws TASK_NOT_READY, TASK_NOT_DOWNLOADABLE, OUTPUT_EXPIRED, UNAVAILABLE */
export async function remakeBook(
  deps: CorrectionDependencies & { sources: SourceFiles },
  task: Task,
): Promise<TaskOutput> {
  const { db, storage, sources } = deps;
  const book = await openBook(deps, task);
  const texts = new Map<string, string>();
  for await (const { block } of book.blocks()) texts.set(block.id, block.target);
  const { sourceLang, targetLang } = book.index;
  const signal = AbortSignal.timeout(remakeTimeoutMs);
  const written = await sources.write(
    task.sourceKey ?? '',
    { ...rangeOf(task), owner: task.accountId, signal },
    {
      texts: packTexts(texts),
      options: { sourceLang, targetLang, variant: 'translated', edition: { id: task.id, modifiedAt: new Date() } },
    },
  );
  // A name of its own per content: whoever downloads the book of an hour ago still gets that one until it is replaced.
  const hash = createHash('sha256').update(written.bytes).digest('hex').slice(0, 16);
  const key = `outputs/${task.id}/corrected-${hash}`;
  // Whatever happens from here on, the object has a row that speaks of it.
  await noteSource(db, task.id, key);
  const stored = await storage.put(key, once(written.bytes), { mediaType: written.mediaType, signal });
  if (!(await verifyStored(storage, stored, { signal })))
    throw new AppError('UNAVAILABLE', 'The book could not be stored.', { retryAfterSeconds: 5 });
  const output: TaskOutput = {
    fileId: 'corrected',
    fileName: outputFileName(task.fileName, `${targetLang}.corrected`, written.extension),
    mediaType: written.mediaType,
    storageKey: key,
    sizeBytes: stored.sizeBytes,
    sha256: stored.sha256,
  };
  const replaced = await db.transaction().execute(async (trx) => {
    const now = await lockTask(trx, task.id);
    if (now.purgedAt) throw new AppError('OUTPUT_EXPIRED', 'The text of this task was removed.');
    const before = await replaceOutput(trx, task.id, output);
    if (before !== undefined && before !== key) await noteSource(trx, task.id, before);
    await forgetObjects(trx, [key]);
    return before;
  });
  if (replaced !== undefined && replaced !== key) {
    await storage.delete(replaced);
    await forgetObjects(db, [replaced]);
  }
  return output;
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
