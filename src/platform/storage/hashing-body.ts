import { createHash } from 'node:crypto';

export interface HashingBody {
  /** The same chunks, counted and hashed as they pass. */
  chunks: AsyncGenerator<Uint8Array, void, undefined>;
  /** Valid once `chunks` has ended by itself. */
  result(): { sizeBytes: number; sha256: string };
  /** True when the chunks ended because the body or the signal failed, not the place they went to. */
  failed(): boolean;
  failure(): unknown;
}

/**
 * Wraps the body of a `put`. A signal ends it even while the body keeps us waiting: the wait is raced, and the
 * body is told to stop without being waited for, because a generator stuck in an `await` never answers `return`.
 */
export function hashingBody(body: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): HashingBody {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let failure: { reason: unknown } | undefined;

  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const iterator = body[Symbol.asyncIterator]();
    const aborted = Promise.withResolvers<never>();
    aborted.promise.catch(() => {});
    const onAbort = () => aborted.reject(signal?.reason);
    let ended = false;
    try {
      signal?.throwIfAborted();
      signal?.addEventListener('abort', onAbort, { once: true });
      for (;;) {
        const next = await Promise.race([iterator.next(), aborted.promise]);
        if (next.done) {
          ended = true;
          return;
        }
        hash.update(next.value);
        sizeBytes += next.value.byteLength;
        yield next.value;
      }
    } catch (reason) {
      ended = !signal?.aborted;
      failure = { reason };
      throw reason;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      if (!ended) iterator.return?.()?.catch(() => {});
    }
  }

  return {
    chunks: chunks(),
    result: () => ({ sizeBytes, sha256: hash.digest('hex') }),
    failed: () => failure !== undefined,
    failure: () => failure?.reason,
  };
}
