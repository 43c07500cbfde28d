/**
 * Files of a finished book, made when somebody asks for them. They are those that its task was created without, and those that are
 * older than its corrections.
 */
import { randomUUID } from 'node:crypto';
import { AppError } from '../errors.ts';
import { OwnerLimit } from '../platform/owner-limit.ts';
import { verifyStored } from '../platform/storage/storage.ts';
import { forgetObjects, noteSource } from '../tasks/object-store.ts';
import type { SourceFiles } from '../tasks/source-files.ts';
import type { StorageQuota } from '../tasks/storage-quota.ts';
import { putNoted } from '../tasks/stored-objects.ts';
import type { StoredOutput, Task } from '../tasks/task.ts';
import { lockTask, readOutputs, replaceOutput } from '../tasks/task-store.ts';
import { correctionsVersion, currentEditions } from './correction-store.ts';
import { canBeMade, type MadeFileId, madeFile, type NewFile, textFiles } from './made-files.ts';
import { type BookDependencies, openBook, requireText } from './read-book.ts';

export interface MakerDependencies extends BookDependencies {
  sources: SourceFiles;
  quota: StorageQuota;
}

const makeTimeoutMs = 120_000;
/** An account's files are made one after the other; a request that would wait longer than this is told to come again. */
const turnPatienceMs = 60_000;

interface Making {
  task: Task;
  fileIds: readonly MadeFileId[];
  editionOf: (fileId: string) => number;
}

export class OutputMaker {
  readonly #deps: MakerDependencies;
  readonly #ownerLimit = new OwnerLimit(1, { rests: true });
  /** A request for a file that is being made waits for it. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(deps: MakerDependencies) {
    this.#deps = deps;
  }

  /**
   * A file with the corrections of this moment.
   * @throws TASK_NOT_READY, TASK_NOT_DOWNLOADABLE, OUTPUT_EXPIRED, STORAGE_QUOTA, UNAVAILABLE
   */
  async fresh(task: Task, fileId: string): Promise<StoredOutput> {
    if (canBeMade(fileId)) await this.#make(task, await this.#missing(task, [fileId]));
    const stored = await this.#find(task, fileId);
    if (stored === undefined) throw new AppError('TASK_NOT_DOWNLOADABLE', 'This task has no such file to download.');
    return stored;
  }

  /** A file as it is listed with its task, made if the task has none. @throws like `fresh` */
  async listed(task: Task, fileId: string): Promise<StoredOutput> {
    return (await this.#find(task, fileId)) ?? (await this.fresh(task, fileId));
  }

  /** Whether `fresh` would have to make it. */
  async isToMake(task: Task, fileId: string): Promise<boolean> {
    return canBeMade(fileId) && (await this.#missing(task, [fileId])).length > 0;
  }

  /** The corrected book, with the glossary and the files for editors that the task has. @throws like `fresh` */
  async remake(task: Task): Promise<void> {
    const outputs = await readOutputs(this.#deps.db, task.id);
    const delivered = textFiles.filter((fileId) => outputs.some((output) => output.fileId === fileId));
    await this.#make(task, await this.#missing(task, ['corrected', ...delivered]));
  }

  /** What a person downloads as the book: with its corrections, if it has any. */
  async bookOf(task: Task): Promise<'corrected' | 'translated'> {
    return (await correctionsVersion(this.#deps.db, task.id)) > 0 ? 'corrected' : 'translated';
  }

  async #find(task: Task, fileId: string): Promise<StoredOutput | undefined> {
    return (await readOutputs(this.#deps.db, task.id)).find((output) => output.fileId === fileId);
  }

  async #missing(task: Task, fileIds: readonly MadeFileId[]): Promise<MadeFileId[]> {
    const editionOf = await currentEditions(this.#deps.db, task.id);
    const outputs = await readOutputs(this.#deps.db, task.id);
    return fileIds.filter((id) => !outputs.some((output) => output.fileId === id && output.edition >= editionOf(id)));
  }

  async #make(task: Task, fileIds: readonly MadeFileId[]): Promise<void> {
    if (fileIds.length === 0) return;
    // Read before the texts: a file may hold more than it says, never less.
    const editionOf = await currentEditions(this.#deps.db, task.id);
    const name = [task.id, ...fileIds.map((id) => `${id} ${editionOf(id)}`)].join(' ');
    const making = this.#underWay.get(name) ?? this.#inTurn({ task, fileIds, editionOf });
    this.#underWay.set(name, making);
    await making.finally(() => this.#underWay.delete(name));
  }

  async #inTurn(making: Making): Promise<void> {
    const { task } = making;
    const leave = await this.#ownerLimit.take(task.accountId, turnPatienceMs);
    if (leave === undefined) {
      const message = 'Other files of this account are being made just now.';
      throw new AppError('UNAVAILABLE', message, { retryAfterSeconds: 30 });
    }
    const unused = this.#written(making);
    await unused.then((keys) => this.#remove(keys)).finally(leave);
  }

  /** Returns the objects that nothing speaks of any more. */
  async #written(making: Making): Promise<string[]> {
    const { task, fileIds } = making;
    // Names of their own: a client that is downloading the files of an hour ago still gets those.
    const folder = `outputs/${task.id}/${randomUUID()}`;
    const made: StoredOutput[] = [];
    try {
      const signal = AbortSignal.timeout(makeTimeoutMs);
      const book = await openBook(this.#deps, task);
      for (const fileId of fileIds) {
        const file = await madeFile({ task, book, sources: this.#deps.sources, signal }, fileId);
        made.push(await this.#store(making, `${folder}-${fileId}`, file, signal));
      }
      return await this.#deliver(making, made);
    } catch (error) {
      await this.#remove(made.map(({ storageKey }) => storageKey));
      throw error;
    }
  }

  async #store(
    { task, editionOf }: Making,
    key: string,
    { content, ...about }: NewFile,
    signal: AbortSignal,
  ): Promise<StoredOutput> {
    const { db, storage } = this.#deps;
    // Whatever happens from here on, the object has a row that speaks of it.
    const options = { mediaType: about.mediaType, signal };
    const stored = await putNoted({ db, storage }, task.id, key, asBytes(content), options);
    if (!(await verifyStored(storage, stored, { signal })))
      throw new AppError('UNAVAILABLE', 'The file could not be stored.', { retryAfterSeconds: 5 });
    const { key: storageKey, sizeBytes, sha256 } = stored;
    return { ...about, storageKey, sizeBytes, sha256, edition: editionOf(about.fileId) };
  }

  /** All of them at once, so that no glossary tells of another edition than the book. */
  async #deliver({ task }: Making, made: readonly StoredOutput[]): Promise<string[]> {
    const { db, quota } = this.#deps;
    const earlierSizes = new Map((await readOutputs(db, task.id)).map((output) => [output.fileId, output.sizeBytes]));
    const growth = made.reduce((sum, { fileId, sizeBytes }) => sum + sizeBytes - (earlierSizes.get(fileId) ?? 0), 0);
    if (growth > 0) await quota.claim(task.accountId, growth);
    return await db.transaction().execute(async (trx) => {
      requireText(await lockTask(trx, task.id));
      const outputs = await readOutputs(trx, task.id);
      const unused: string[] = [];
      for (const output of made) {
        // Another process may have been quicker: what it has delivered stays.
        const isThere = outputs.some((other) => other.fileId === output.fileId && other.edition >= output.edition);
        const key = isThere ? output.storageKey : await replaceOutput(trx, task.id, output);
        if (key === undefined) continue;
        await noteSource(trx, task.id, key);
        unused.push(key);
      }
      const used = made.map(({ storageKey }) => storageKey).filter((key) => !unused.includes(key));
      await forgetObjects(trx, used);
      return unused;
    });
  }

  async #remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#deps.storage.delete(key);
    await forgetObjects(this.#deps.db, keys);
  }
}

async function* asBytes(content: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for await (const piece of content) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}
