/** What can be uploaded, made replayable: a retry has to send the same bytes again. */

import * as fs from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { ToledoError } from './errors.ts';

/**
 * A path (or file: URL), bytes, a Blob or File, or a stream. A stream can be read only once, so it is written to a
 * temporary file first, which is removed when the call ends.
 */
export type Source =
  | string
  | URL
  | Blob
  | Uint8Array
  | ArrayBuffer
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>;

export interface OpenSource {
  fileName: string;
  blob: Blob;
  /** Removes the temporary copy made for the upload. */
  close(): Promise<void>;
}

/** @throws ToledoError `UNREADABLE_SOURCE` or `FILE_NAME_MISSING` */
export async function openSource(source: Source, fileName: string | undefined): Promise<OpenSource> {
  if (typeof source === 'string' || source instanceof URL) {
    const path = typeof source === 'string' ? source : fileURLToPath(source);
    return { fileName: fileName ?? basename(path), blob: await fileBlob(path), close: async () => {} };
  }
  const name = fileName ?? nameOf(source);
  if (name === undefined) {
    throw new ToledoError(
      'FILE_NAME_MISSING',
      'Give file_name with bytes and streams: its ending tells Markdown from plain text, and names the translation.',
    );
  }
  if (source instanceof Blob) return { fileName: name, blob: source, close: async () => {} };
  if (source instanceof Uint8Array || source instanceof ArrayBuffer)
    return { fileName: name, blob: new Blob([source as Uint8Array<ArrayBuffer>]), close: async () => {} };
  return { fileName: name, ...(await spool(source)) };
}

async function spool(stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>) {
  const folder = await mkdtemp(join(tmpdir(), 'toledo-upload-'));
  const close = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'source');
    await pipeline(Readable.from(chunksOf(stream), { objectMode: false }), fs.createWriteStream(path, { mode: 0o600 }));
    return { blob: await fileBlob(path), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Web streams are async iterables in Node and Deno, but not everywhere. */
async function* chunksOf(stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>) {
  if ('getReader' in stream) {
    const reader = stream.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
    return;
  }
  for await (const chunk of stream) yield typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
}

/** Read from disk while it is sent where the runtime can (without a warning: Node 22.17 and 24 on), else from memory. */
async function fileBlob(path: string): Promise<Blob> {
  try {
    if (!(await stat(path)).isFile()) throw new Error('it is not a file');
    return streamsFiles() ? await fs.openAsBlob(path) : new Blob([await readFile(path)]);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw new ToledoError('UNREADABLE_SOURCE', `${path} cannot be read: ${reason}.`, { cause: error });
  }
}

function streamsFiles(): boolean {
  if (typeof fs.openAsBlob !== 'function') return false;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 17);
}

function nameOf(source: object): string | undefined {
  const { name, path } = source as { name?: unknown; path?: unknown };
  const found = typeof name === 'string' ? name : typeof path === 'string' ? path : undefined;
  return found ? basename(found) : undefined;
}
