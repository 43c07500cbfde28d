import type { CallOptions, Transport } from './transport.js';
import type { DownloadResult, FileId, Open } from './wire-types.js';
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
export declare function downloadFile(transport: Transport, locate: () => Promise<DownloadResult>, { file_id, to, overwrite, onBytes, signal }: DownloadOptions): Promise<DownloadedFile>;
/** The whole file in memory, verified the same way. For reports and glossaries; books belong on disk. */
export declare function downloadBytes(transport: Transport, locate: () => Promise<DownloadResult>, { signal }: CallOptions): Promise<Uint8Array<ArrayBuffer>>;
/** @throws FileExistsError */
export declare function refuseExisting(path: string): Promise<void>;
