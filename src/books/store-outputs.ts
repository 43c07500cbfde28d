import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import type { Platform } from '../platform/platform.ts';
import { verifyStored } from '../platform/storage/storage.ts';
import type { Attempt } from '../tasks/attempt.ts';
import { noteOutputs } from '../tasks/object-store.ts';
import { nameOfOutput, readingFiles, usualOutputs } from '../tasks/output-files.ts';
import type { Task, TaskOutput } from '../tasks/task.ts';
import type { WrittenFile } from './write-files.ts';

export interface OutputsOf {
  deps: Pick<Platform, 'db' | 'storage'>;
  task: Task;
  attempt: Attempt;
  /** Where the book's process writes. */
  folder: string;
  signal: AbortSignal;
}

/**
 * Stores every file as soon as it is written, side by side, because each waits for the disk or the network. It is read back by
 * checksum: nothing is charged for what cannot be read.
 */
export class OutputStore {
  readonly #of: OutputsOf;
  readonly #storing: Promise<TaskOutput>[] = [];
  readonly #keys: ReadonlyMap<string, string>;
  #noted: Promise<void> | undefined;

  constructor(outputs: OutputsOf) {
    this.#of = outputs;
    const { task, attempt } = outputs;
    // The attempt is part of the key, so a worker that lost the task can never overwrite the winner's file.
    this.#keys = new Map(
      [...(task.outputs ?? usualOutputs), ...readingFiles].map((fileId) => [
        fileId,
        `outputs/${task.id}/${attempt.number}-${fileId}`,
      ]),
    );
  }

  add(file: WrittenFile): void {
    const storing = this.#store(file);
    // `all` tells of it.
    storing.catch(() => {});
    this.#storing.push(storing);
  }

  /** In the order in which they came. Nothing is being written any more when it ends, with a fault too. @throws UNAVAILABLE, Fenced */
  async all(): Promise<TaskOutput[]> {
    const stored = await Promise.allSettled(this.#storing);
    return stored.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }

  /** All of them at once: each statement would be waited for. @throws Fenced */
  #note(): Promise<void> {
    const { deps, attempt } = this.#of;
    this.#noted ??= noteOutputs(deps.db, attempt, [...this.#keys.values()]);
    return this.#noted;
  }

  async #store({ fileId, extension, mediaType }: WrittenFile): Promise<TaskOutput> {
    const { deps, task, folder, signal } = this.#of;
    const key = this.#keys.get(fileId);
    // A process that has read a hostile file must not name any other file of ours.
    if (key === undefined) throw new Error('an output has a name that no output has');
    await this.#note();
    const body = createReadStream(join(folder, fileId));
    const stored = await deps.storage.put(key, body, { mediaType, signal });
    if (!(await verifyStored(deps.storage, stored, { signal })))
      throw new AppError('UNAVAILABLE', 'A stored output could not be read back.', { retryAfterSeconds: 5 });
    const fileName = nameOfOutput(task, fileId, extension);
    return { fileId, fileName, mediaType, storageKey: key, sizeBytes: stored.sizeBytes, sha256: stored.sha256 };
  }
}
