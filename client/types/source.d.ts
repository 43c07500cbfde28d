/** What can be uploaded, made replayable: a retry has to send the same bytes again. */
/**
 * A path (or file: URL), bytes, a Blob or File, or a stream. A stream can be read only once, so it is written to a
 * temporary file first, which is removed when the call ends.
 */
export type Source = string | URL | Blob | Uint8Array | ArrayBuffer | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;
export interface OpenSource {
    fileName: string;
    blob: Blob;
    /** Removes the temporary copy made for the upload. */
    close(): Promise<void>;
}
/** @throws ToledoError `UNREADABLE_SOURCE` or `FILE_NAME_MISSING` */
export declare function openSource(source: Source, fileName: string | undefined): Promise<OpenSource>;
