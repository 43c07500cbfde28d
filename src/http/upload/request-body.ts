import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { AppError, badField } from '../../errors.ts';
import { tooLarge, type UploadLimits } from './upload-limits.ts';

export interface UploadRequest {
  headers: IncomingHttpHeaders;
  stream: Readable;
}

/**
 * The raw bytes of a request, under all limits of size and time.
 *
 * Times run only while we wait for the client: when our own storage is slow, back-pressure stops the client,
 * which is not the client's fault. Nothing here destroys the stream while an answer may still be sent over its socket;
 * `linger` does that.
 */
export class RequestBody implements AsyncIterable<Uint8Array> {
  /** Aborts with the error when the client disconnects, or the time is up. */
  readonly signal: AbortSignal;
  readonly #stream: Readable;
  readonly #limits: UploadLimits;
  readonly #controller = new AbortController();
  readonly #deadline: NodeJS.Timeout;
  readonly #startedAt = performance.now();
  #receivedBytes = 0;
  #waitedMs = 0;
  #waitingSince: number | undefined;
  #window = { waitedMs: 0, bytes: 0 };

  constructor(request: UploadRequest, limits: UploadLimits) {
    this.#stream = request.stream;
    this.#limits = limits;
    this.signal = this.#controller.signal;
    this.#deadline = setTimeout(this.#onDeadline, limits.bodyTimeoutMs);
    this.#stream.on('error', this.#onGone).on('close', this.#onGone);
    this.#stream.on('readable', this.#onChange).on('end', this.#onChange);
    this.signal.addEventListener('abort', this.#onChange, { once: true });
    // If the client disconnected while we checked its key, this stream emits no further event.
    if (this.#stream.destroyed) this.#onGone();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      this.signal.throwIfAborted();
      const chunk: Buffer | null = this.#stream.read();
      if (chunk !== null) {
        this.#count(chunk.byteLength);
        yield chunk;
      } else if (this.#stream.readableEnded) {
        return;
      } else {
        await this.#change();
      }
    }
  }

  /** Call this once, after reading or abandoning the body. */
  release(): void {
    clearTimeout(this.#deadline);
    this.#stream.off('close', this.#onGone).off('readable', this.#onChange).off('end', this.#onChange);
    // The error listener stays: a later reset must not become an uncaught error.
  }

  /**
   * After an error the client is probably still sending. Closing at once resets the connection, and many clients then
   * report the reset and never read our answer. So we read and discard a small remainder, which leaves the connection
   * usable. With a larger one we stop reading, which stops the client, give it a moment to read the answer, and close. The answer itself needs no `Connection: close`, which would reset at once.
   */
  linger(): void {
    const stream = this.#stream;
    if (stream.readableEnded || stream.destroyed) return;
    let leftBytes = this.#limits.lingerBytes;
    // Without `unref` it would delay a stopping process: Node does not report a client that disconnects after its answer.
    const timer = setTimeout(() => stream.destroy(), this.#limits.lingerMs).unref();
    const onData = (chunk: Buffer) => {
      leftBytes -= chunk.byteLength;
      if (leftBytes < 0) stream.off('data', onData).pause();
    };
    stream.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
    stream.on('data', onData).resume();
  }

  #count(bytes: number): void {
    this.#receivedBytes += bytes;
    this.#window.bytes += bytes;
    if (this.#receivedBytes > this.#limits.requestBytes)
      throw tooLarge('The request', { bytes: this.#limits.requestBytes });
    if (this.#window.waitedMs < this.#limits.rateWindowMs) return;
    const least = (this.#limits.minimumBytesPerSecond * this.#window.waitedMs) / 1000;
    if (this.#window.bytes < least) {
      throw badField(
        'UPLOAD_TOO_SLOW',
        `The body came at less than ${this.#limits.minimumBytesPerSecond} bytes per second.`,
      );
    }
    this.#window = { waitedMs: 0, bytes: 0 };
  }

  /** Waits for data, the end, or an error. */
  async #change(): Promise<void> {
    const { idleTimeoutMs } = this.#limits;
    const since = performance.now();
    const silence = setTimeout(() => this.#controller.abort(silent(idleTimeoutMs)), idleTimeoutMs);
    this.#waitingSince = since;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#waitingSince = undefined;
    clearTimeout(silence);
    this.#waitedMs += performance.now() - since;
    this.#window.waitedMs += performance.now() - since;
  }

  #wake: () => void = () => {};

  readonly #onChange = (): void => this.#wake();

  readonly #onGone = (): void => {
    if (this.#stream.readableEnded) return;
    this.#controller.abort(badField('INCOMPLETE_BODY', 'The connection was closed before the body was complete.'));
  };

  readonly #onDeadline = (): void => {
    // The side that took more than half of the time was too slow.
    const now = performance.now();
    const waitedMs = this.#waitedMs + (now - (this.#waitingSince ?? now));
    const isClient = waitedMs > (now - this.#startedAt) / 2;
    const seconds = Math.round(this.#limits.bodyTimeoutMs / 1000);
    this.#controller.abort(
      isClient
        ? badField('UPLOAD_TOO_SLOW', `The body was not complete after ${seconds} seconds.`)
        : new AppError('UNAVAILABLE', 'The upload could not be stored in time.', { retryAfterSeconds: 10 }),
    );
  };
}

function silent(idleTimeoutMs: number): AppError {
  return badField('UPLOAD_TOO_SLOW', `Nothing of the body came for ${Math.round(idleTimeoutMs / 1000)} seconds.`);
}
