import { type Transport } from './transport.js';
import type { DownloadResult } from './wire-types.js';
/** Where the bytes go. Content is identified by its checksum, so existing bytes are the start of the same file. */
export interface TransferTarget {
    receivedBytes: number;
    write(chunk: Uint8Array): Promise<void>;
    /** Start over: the next byte is the first one. */
    restart(): Promise<void>;
}
export interface TransferOptions {
    signal: AbortSignal | undefined;
    /** Asks for a fresh URL when one has expired. */
    locate: () => Promise<DownloadResult>;
    onBytes?: ((receivedBytes: number, totalBytes: number) => void) | undefined;
}
/** Retries end only when several in a row made no progress: a bad connection still finishes. */
export declare function transfer(transport: Transport, file: DownloadResult, target: TransferTarget, { signal, locate, onBytes }: TransferOptions): Promise<void>;
