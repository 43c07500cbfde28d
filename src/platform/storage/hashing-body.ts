import { createHash } from 'node:crypto';

/**
 * Wraps the body of a `put`. A signal ends it even while the body is waiting. We race the wait and do not wait for the body to
 * stop, because a generator stuck in an `await` never answers `return`.
 */
export function hashingBody(body: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined) {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let failure: { reason: unknown } | undefined;

  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const iterator = body[Symbol.asyncIterator]();
    const aborted = Promise.withResolvers<never>();
    aborted.promise.catch(() => {});
    const onAbort = () => aborted.reject(signal?.reason);
    let isOver = false;
    const next = async () => {
      try {
        signal?.throwIfAborted();
        return await Promise.race([iterator.next(), aborted.promise]);
      } catch (reason) {
        isOver = !signal?.aborted;
        failure = { reason };
        throw reason;
      }
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      for (let step = await next(); !step.done; step = await next()) {
        hash.update(step.value);
        sizeBytes += step.value.byteLength;
        // An error here comes from the consumer (an aborted stream), not from the body.
        yield step.value;
      }
      isOver = true;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      if (!isOver) iterator.return?.()?.catch(() => {});
    }
  }

  return {
    /** The same chunks, counted and hashed as they pass. */
    chunks: chunks(),
    /** Valid once `chunks` has ended by itself. */
    result: () => ({ sizeBytes, sha256: hash.digest('hex') }),
    /** True when the chunks ended because the body or the signal failed, not the place they went to. */
    failed: () => failure !== undefined,
    failure: () => failure?.reason,
  };
}
