/** Downloads an output to disk: resumable, verified, and never half a file under its final name. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DownloadCorruptedError, FileExistsError } from './errors.ts';
import { type TransferTarget, transfer } from './transfer.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { DownloadResult, FileId, Open } from './wire-types.ts';

export interface DownloadOptions extends CallOptions {
  /** Default `translated`. */
  /** Also what `download_files` of a task names, which a later service may add to. */
  file_id?: Open<FileId> | undefined;
  /** A file, or an existing folder that gets the file under the name the service gives it; default the current folder. */
  to?: string | undefined;
  /** Default false: an existing file is an error. */
  overwrite?: boolean | undefined;
  onBytes?: ((receivedBytes: number, totalBytes: number) => void) | undefined;
}

export interface DownloadedFile {
  file_id: Open<FileId>;
  path: string;
  file_name: string;
  file_size: number;
  sha256: string;
  /** Bytes left from an earlier, interrupted download. */
  resumed_bytes: number;
}

/**
 * Bytes go to `<path>.<checksum>.part` and the file gets its name only when size and checksum are right. An aborted
 * download leaves that part behind, and the next one continues from there.
 * @throws FileExistsError, DownloadCorruptedError, ApiError by code, ConnectionError, or the signal's reason
 */
export async function downloadFile(
  transport: Transport,
  locate: () => Promise<DownloadResult>,
  { file_id = 'translated', to = '.', overwrite = false, onBytes, signal }: DownloadOptions,
): Promise<DownloadedFile> {
  const file = await locate();
  const path = await finalPath(to, file.file_name);
  if (!overwrite) await refuseExisting(path);
  const part = `${path}.${file.sha256.slice(0, 16)}.part`;
  let resumedBytes = 0;
  for (let fresh = false; ; fresh = true) {
    if (fresh) await rm(part, { force: true });
    const target = await openPart(part);
    try {
      resumedBytes = target.receivedBytes;
      await transfer(transport, file, target, { signal, locate, onBytes });
      await target.handle.sync();
    } finally {
      await target.handle.close();
    }
    if ((await checksumOf(part)) === file.sha256) break;
    // Bytes of an earlier run may be damaged; bytes of this run should not be.
    if (resumedBytes === 0) {
      await rm(part, { force: true });
      throw new DownloadCorruptedError(`${file.file_name} does not have the checksum that was announced.`);
    }
  }
  await rename(part, path);
  const { file_name, file_size, sha256 } = file;
  return { file_id, path, file_name, file_size, sha256, resumed_bytes: resumedBytes };
}

/** The whole file in memory, verified the same way. For reports and glossaries; books belong on disk. */
export async function downloadBytes(
  transport: Transport,
  locate: () => Promise<DownloadResult>,
  { signal }: CallOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const file = await locate();
  const bytes = new Uint8Array(file.file_size);
  const target: TransferTarget = {
    receivedBytes: 0,
    async write(chunk) {
      if (this.receivedBytes + chunk.length <= bytes.length) bytes.set(chunk, this.receivedBytes);
      this.receivedBytes += chunk.length;
    },
    async restart() {
      this.receivedBytes = 0;
    },
  };
  await transfer(transport, file, target, { signal, locate });
  if (createHash('sha256').update(bytes).digest('hex') !== file.sha256)
    throw new DownloadCorruptedError(`${file.file_name} does not have the checksum that was announced.`);
  return bytes;
}

/** @throws FileExistsError */
export async function refuseExisting(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isDirectory()) throw new FileExistsError(path);
}

async function finalPath(to: string, fileName: string): Promise<string> {
  const isFolder = (await stat(to).catch(() => undefined))?.isDirectory() === true;
  // The name comes from the network: it must not lead out of the folder.
  const safeName = basename(fileName.replaceAll('\\', '/')).replace(/^\.+$/, '') || 'download';
  return isFolder ? join(to, safeName) : to;
}

/**
 * Written by position, not appended: if two processes fetch the same file to the same path, both write the same bytes to the
 * same offsets.
 */
async function openPart(path: string): Promise<TransferTarget & { handle: FileHandle }> {
  const handle = await open(path, 'wx', 0o666).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return open(path, 'r+');
    throw error;
  });
  const target: TransferTarget = {
    receivedBytes: (await handle.stat()).size,
    async write(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const { bytesWritten } = await handle.write(chunk, at, chunk.length - at, this.receivedBytes);
        at += bytesWritten;
        this.receivedBytes += bytesWritten;
      }
    },
    async restart() {
      await handle.truncate(0);
      this.receivedBytes = 0;
    },
  };
  return Object.assign(target, { handle });
}

async function checksumOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}
