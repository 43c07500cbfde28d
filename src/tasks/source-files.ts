/**
 * A stored source as the document readers want it: a local file, in the sandbox, so that a hostile file harms only
 * itself. The local copy lives as long as one piece of work.
 */
import { createWriteStream } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { WriteResult } from '../documents/document.ts';
import { sourceFault } from '../documents/source-faults.ts';
import type { SourceCount, SourceFile, WriteJob } from '../documents/source-jobs.ts';
import { AppError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { Db } from '../platform/postgres.ts';
import { answering } from '../platform/storage/disk-fault.ts';
import { type Storage, StorageMissing } from '../platform/storage/storage.ts';
import type { WorkFolder } from '../platform/work-folder.ts';
import { jobModule } from '../sandbox/job-module.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { isTextKey, readText } from './source-text-store.ts';
import { readBudget } from './work-budget.ts';

export const sourceJobs = jobModule<typeof import('../documents/source-jobs.ts')>(
  new URL('../documents/source-jobs.ts', import.meta.url),
);

/** How a task reads its source. */
export type SourceRange = Pick<SourceFile, 'fileName' | 'charLimit' | 'skipFrontMatter'>;

export function rangeOf({ fileName, charLimit, skipFrontMatter }: SourceRange): SourceRange {
  return { fileName, charLimit, skipFrontMatter };
}

/** A text up to this size is kept with its task, and counted where it arrived. */
export const smallTextBytes = 16 * 1024;

type SourceDependencies = { db: Db; storage: Storage; sandbox: Sandbox; work: WorkFolder; limits: Limits };

export class SourceFiles {
  readonly #deps: SourceDependencies;

  constructor(deps: SourceDependencies) {
    this.#deps = deps;
  }

  /** @throws BAD_REQUEST with a stable reason, PAYLOAD_TOO_LARGE, UNAVAILABLE */
  async count(key: string, options: SourceRange & { owner: string }): Promise<SourceCount> {
    return await this.withSource(key, options, (source) =>
      this.#deps.sandbox.run(sourceJobs, 'countSource', source, { ...readBudget(source), owner: options.owner }),
    );
  }

  /** @param bytes at most `smallTextBytes`. Of other formats no size is small: 80 kB of nested links keep the reader of Markdown busy for minutes. */
  async isSmallText(bytes: Uint8Array, fileName: string): Promise<boolean> {
    const { isPlainText } = await readers();
    return isPlainText(bytes, fileName);
  }

  /** In this process: a small text is counted in less time than a child is asked. @throws like `count` */
  async countSmallText(bytes: Uint8Array, range: SourceRange): Promise<SourceCount> {
    const { countSource } = await readers();
    return await readable(async () => countSource({ bytes, ...range, ...this.#bounds() }));
  }

  /** What a source is in; undefined when neither its text nor the file says. @throws like `count` */
  async languageOf(
    { key, text }: { key: string; text?: Uint8Array },
    { owner, ...range }: SourceRange & { owner: string },
  ): Promise<string | undefined> {
    if (text !== undefined) {
      const { languageOfSource } = await readers();
      return await readable(() => languageOfSource({ bytes: text, ...range, ...this.#bounds() }));
    }
    return await this.withSource(key, range, (source) =>
      this.#deps.sandbox.run(sourceJobs, 'languageOfSource', source, { ...readBudget(source), owner }),
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
      this.#deps.sandbox.run(
        sourceJobs,
        'writeTranslated',
        { source, ...content },
        { ...readBudget(source), owner, signal },
      ),
    );
  }

  /**
   * Brings the source to a local file for as long as `use` runs; other files of the same work may stand beside it.
   * @param source its key, or the source itself
   * @throws UNAVAILABLE, and what `use` throws
   */
  async withSource<T>(
    source: string | Uint8Array,
    options: SourceRange & { signal?: AbortSignal },
    use: (source: SourceFile, folder: string) => Promise<T>,
  ): Promise<T> {
    return await this.#deps.work.withFolder(async (folder) =>
      use(await this.#copySource(source, options, folder), folder),
    );
  }

  async #copySource(
    key: string | Uint8Array,
    options: SourceRange & { signal?: AbortSignal },
    folder: string,
  ): Promise<SourceFile> {
    const path = join(folder, 'source');
    const sizeBytes =
      typeof key !== 'string' || isTextKey(key)
        ? await this.#copyText(key, path)
        : await answering(async () => {
            const { body } = await this.#deps.storage.get(key, options.signal ? { signal: options.signal } : {});
            await pipeline(body, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
            return (await stat(path)).size;
          });
    const { fileName, charLimit, skipFrontMatter } = options;
    return { path, sizeBytes, fileName, charLimit, skipFrontMatter, ...this.#bounds() };
  }

  async #copyText(key: string | Uint8Array, path: string): Promise<number> {
    const text = typeof key === 'string' ? await readText(this.#deps.db, key) : key;
    if (text === undefined) throw new StorageMissing(String(key));
    await answering(() => writeFile(path, text, { flag: 'wx', mode: 0o600 }));
    return text.byteLength;
  }

  #bounds(): Pick<SourceFile, 'maxCharacters' | 'maxArchiveBytes'> {
    const { maxTextCharacters: maxCharacters, maxArchiveBytes } = this.#deps.limits;
    return { maxCharacters, maxArchiveBytes };
  }
}

/** @throws BAD_REQUEST where a reader cannot go on */
async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw sourceFault('UNREADABLE_SOURCE');
  }
}

/** Loaded when the first small text comes: a worker never counts one. */
function readers(): Promise<typeof import('../documents/source-jobs.ts')> {
  return import('../documents/source-jobs.ts');
}
