/**
 * The book once more, with its corrections: the same source and the same translations, so nothing is translated and nothing charged.
 * The files for editors and the glossary are made again with it.
 */
import { randomUUID } from 'node:crypto';
import { packTexts } from '../documents/packed-texts.ts';
import { AppError } from '../errors.ts';
import { outputFileName } from '../platform/storage/content-disposition.ts';
import { verifyStored } from '../platform/storage/verify-stored.ts';
import { forgetObjects, noteSource } from '../tasks/object-store.ts';
import { putNoted } from '../tasks/put-noted.ts';
import { rangeOf, type SourceFiles } from '../tasks/source-files.ts';
import type { Task, TaskOutput } from '../tasks/task.ts';
import { lockTask, readOutputs, replaceOutput } from '../tasks/task-store.ts';
import { type BookDependencies, openBook, type ReadableBook } from './read-book.ts';
import { remadeFiles } from './remade-files.ts';

const remakeTimeoutMs = 120_000;

type RemakeDependencies = BookDependencies & { sources: SourceFiles };
type NewFile = Pick<TaskOutput, 'fileId' | 'fileName' | 'mediaType'> & { content: AsyncIterable<Uint8Array | string> };

/** Returns the output `corrected`. @throws TASK_NOT_READY, TASK_NOT_DOWNLOADABLE, OUTPUT_EXPIRED, UNAVAILABLE */
export async function remakeBook(deps: RemakeDependencies, task: Task): Promise<TaskOutput> {
  const book = await openBook(deps, task);
  const signal = AbortSignal.timeout(remakeTimeoutMs);
  const corrected = await correctedBook(deps, task, book, signal);
  const remade = remadeFiles(book, task.fileName);
  const delivered = (await readOutputs(deps.db, task.id)).flatMap(({ fileId, fileName, mediaType }): NewFile[] => {
    const make = remade.get(fileId);
    return make ? [{ fileId, fileName, mediaType, content: make() }] : [];
  });
  // Names of their own: a client that is downloading the files of an hour ago still gets those.
  const folder = `outputs/${task.id}/${randomUUID()}`;
  const outputs: TaskOutput[] = [];
  for (const file of [corrected, ...delivered])
    outputs.push(await store(deps, task, `${folder}-${file.fileId}`, file, signal));
  await replaceAll(deps, task, outputs);
  return outputs[0] as TaskOutput;
}

async function correctedBook(
  { sources }: RemakeDependencies,
  task: Task,
  book: ReadableBook,
  signal: AbortSignal,
): Promise<NewFile> {
  const texts = new Map<string, string>();
  for await (const { block } of book.blocks()) texts.set(block.id, block.target);
  const { sourceLang, targetLang } = book.index;
  const { bytes, extension, mediaType } = await sources.write(
    task.sourceKey ?? '',
    { ...rangeOf(task), owner: task.accountId, signal },
    {
      texts: packTexts(texts),
      options: { sourceLang, targetLang, variant: 'translated', edition: { id: task.id, modifiedAt: new Date() } },
    },
  );
  const fileName = outputFileName(task.fileName, `${targetLang}.corrected`, extension);
  return { fileId: 'corrected', fileName, mediaType, content: once(bytes) };
}

async function store(
  { db, storage }: BookDependencies,
  task: Task,
  key: string,
  { content, ...about }: NewFile,
  signal: AbortSignal,
): Promise<TaskOutput> {
  // Whatever happens from here on, the object has a row that speaks of it.
  const options = { mediaType: about.mediaType, signal };
  const stored = await putNoted({ db, storage }, task.id, key, asBytes(content), options);
  if (!(await verifyStored(storage, stored, { signal })))
    throw new AppError('UNAVAILABLE', 'The book could not be stored.', { retryAfterSeconds: 5 });
  return { ...about, storageKey: key, sizeBytes: stored.sizeBytes, sha256: stored.sha256 };
}

/** All of them at once, so that no glossary tells of another edition than the book. */
async function replaceAll(
  { db, storage }: BookDependencies,
  task: Task,
  outputs: readonly TaskOutput[],
): Promise<void> {
  const replaced = await db.transaction().execute(async (trx) => {
    const { purgedAt } = await lockTask(trx, task.id);
    if (purgedAt) throw new AppError('OUTPUT_EXPIRED', 'The text of this task was removed.');
    const before: string[] = [];
    for (const output of outputs) {
      const key = await replaceOutput(trx, task.id, output);
      if (key === undefined) continue;
      await noteSource(trx, task.id, key);
      before.push(key);
    }
    await forgetObjects(
      trx,
      outputs.map(({ storageKey }) => storageKey),
    );
    return before;
  });
  for (const key of replaced) await storage.delete(key);
  await forgetObjects(db, replaced);
}

async function* asBytes(content: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for await (const piece of content) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
