/**
 * Runs `work` over the items with at most `concurrency` at a time, in their order. The first error stops the rest:
 * `signal` given to the workers is aborted, those in flight are waited for, then it is thrown.
 */
export async function runPool<T>(
  items: Iterable<T> | AsyncIterable<T>,
  { concurrency }: { concurrency: number },
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const queue = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const runner = async (): Promise<void> => {
    try {
      while (!signal.aborted) {
        const next = await queue.next();
        if (next.done === true || signal.aborted) return;
        await work(next.value, signal);
      }
    } catch (error) {
      // Only the first one counts.
      stop.abort(error);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, runner));
  signal.throwIfAborted();
}
