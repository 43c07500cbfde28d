/** Transfers the bytes of one output, even if the connection is lost several times. */
import { ApiError, DownloadCorruptedError, UnexpectedAnswerError } from './errors.ts';
import { isRetryable, retryDelayMs } from './retry-delay.ts';
import { sleep } from './sleep.ts';
import { faultOf, originOf, type Transport, watchAttempt } from './transport.ts';
import type { DownloadResult } from './wire-types.ts';

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

/** The connection counts as dead when nothing arrives for this long. */
const silenceMs = 30_000;

/** Retries end only when several in a row made no progress: a bad connection still finishes. */
export async function transfer(
  transport: Transport,
  file: DownloadResult,
  target: TransferTarget,
  { signal, locate, onBytes }: TransferOptions,
): Promise<void> {
  const state = { url: file.download_url, etag: `"${file.sha256}"` };
  let failures = 0;
  while (target.receivedBytes < file.file_size) {
    const before = target.receivedBytes;
    try {
      await receive(transport, file, state, target, signal, onBytes);
    } catch (error) {
      if (signal?.aborted) throw error;
      const refused = isForbidden(error);
      if (!refused && !isRetryable(error)) throw error;
      failures = target.receivedBytes > before ? 0 : failures + 1;
      if (failures > transport.maxRetries) throw error;
      if (refused) state.url = (await locate()).download_url;
      if (!refused || failures > 1) await sleep(retryDelayMs(error, failures), signal);
    }
  }
  if (target.receivedBytes > file.file_size)
    throw new DownloadCorruptedError(`${file.file_name} is longer than announced.`);
}

async function receive(
  transport: Transport,
  file: DownloadResult,
  state: { url: string; etag: string },
  target: TransferTarget,
  signal: AbortSignal | undefined,
  onBytes: TransferOptions['onBytes'],
): Promise<void> {
  const origin = originOf(state.url);
  const watch = watchAttempt(signal, silenceMs, `Nothing arrived from ${origin} for ${silenceMs} ms.`);
  try {
    const from = target.receivedBytes;
    // The URL is signed: do not send our key, the file may be on another company's server.
    const response = await transport.fetch(state.url, {
      headers: {
        'accept-encoding': 'identity',
        ...(from > 0 ? { range: `bytes=${from}-`, 'if-range': state.etag } : {}),
      },
      signal: watch.signal,
    });
    if (response.status !== 200 && response.status !== 206) throw faultOf(response, await response.text());
    state.etag = strongEtag(response) ?? state.etag;
    if (from > 0 && !continuesAt(response, from)) await target.restart();
    const reader = response.body?.getReader();
    while (reader) {
      const { done, value } = await reader.read();
      if (done) break;
      watch.renew();
      await target.write(value);
      onBytes?.(target.receivedBytes, file.file_size);
      if (target.receivedBytes > file.file_size) {
        await reader.cancel();
        return;
      }
    }
    if (target.receivedBytes < file.file_size) throw new Error('the connection ended early');
  } catch (error) {
    throw error instanceof ApiError || error instanceof UnexpectedAnswerError
      ? error
      : watch.explain(error, `The download from ${origin} was interrupted`);
  } finally {
    watch.end();
  }
}

/** A server that ignores the range sends the whole file, and we start over. */
function continuesAt(response: Response, from: number): boolean {
  return response.status === 206 && response.headers.get('content-range')?.startsWith(`bytes ${from}-`) === true;
}

function strongEtag(response: Response): string | undefined {
  const etag = response.headers.get('etag');
  return etag?.startsWith('"') ? etag : undefined;
}

function isForbidden(error: unknown): boolean {
  return (error instanceof ApiError || error instanceof UnexpectedAnswerError) && error.status === 403;
}
