/**
 * A stored source as the document readers want it: a local file, in a bounded child, so that a hostile file harms only
 * itself. The local copy lives as long as one piece of work.
 */
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { WriteResult } from '../documents/formats.ts';
import type { SourceCount, SourceFile, WriteJob } from '../documents/source-jobs.ts';
import type { Limits } from '../limits.ts';
import { jobModule } from '../platform/bounded-child-protocol.ts';
import type { BoundedChildren } from '../platform/bounded-children.ts';
import { answering } from '../platform/storage/disk-fault.ts';
import type { Storage } from '../platform/storage/storage.ts';
import type { WorkFolder } from '../platform/work-folder.ts';
import { readBudget } from './work-budget.ts';

export const sourceJobs = jobModule<typeof import('../documents/source-jobs.ts')>(
  new URL('../documents/source-jobs.ts', import.meta.url),
);

/** How a task reads its source. */
export type SourceRange = Pick<SourceFile, 'fileName' | 'charLimit' | 'skipFrontMatter'>;

export function rangeOf({ fileName, charLimit, skipFrontMatter }: SourceRange): SourceRange {
  return { fileName, charLimit, skipFrontMatter };
}

export class SourceFiles {
  readonly #storage: Storage;
  readonly #children: BoundedChildren;
  readonly #work: WorkFolder;
  readonly #limits: Limits;

  constructor(options: { storage: Storage; children: BoundedChildren; work: WorkFolder; limits: Limits }) {
    this.#storage = options.storage;
    this.#children = options.children;
    this.#work = options.work;
    this.#limits = options.limits;
  }

  /** @throws BAD_REQUEST with a stable reason, PAYLOAD_TOO_LARGE, UNAVAILABLE */
  async count(key: string, options: SourceRange & { owner: string }): Promise<SourceCount> {
    return await this.withSource(key, options, (source) =>
      this.#children.run(sourceJobs, 'countSource', source, { ...readBudget(source), owner: options.owner }),
    );
  }

  /** The book of a source with the texts given. @throws UNAVAILABLE, what writing throws */
  async write(
    key: string,
    options: SourceRange & { owner: string; signal: AbortSignal },
    content: Omit<WriteJob, 'source'>,
  ): Promise<WriteResult> {
    const { owner, signal } = options;
    return await this.withSource(key, options, (source) =>
      this.#children.run(
        sourceJobs,
        'writeTranslated',
        { source, ...content },
        { ...readBudget(source), owner, signal },
      ),
    );
  }

  /**
   * Brings the source to a local file for as long as `use` runs; other files of the same work may stand beside it.
   * @throws UNAVAILABLE, and what `use` throws
   */
  async withSource<T>(
    key: string,
    options: SourceRange & { signal?: AbortSignal },
    use: (source: SourceFile, folder: string) => Promise<T>,
  ): Promise<T> {
    return await this.#work.withFolder(async (folder) => {
      const path = join(folder, 'source');
      const sizeBytes = await answering(async () => {
        const { body } = await this.#storage.get(key, options.signal ? { signal: options.signal } : {});
        await pipeline(body, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
        return (await stat(path)).size;
      });
      const { fileName, charLimit, skipFrontMatter } = options;
      const { maxTextCharacters: maxCharacters, maxArchiveBytes } = this.#limits;
      return await use(
        { path, sizeBytes, fileName, charLimit, skipFrontMatter, maxCharacters, maxArchiveBytes },
        folder,
      );
    });
  }
}
