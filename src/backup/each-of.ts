/** Does the work for every item, a few at once; the first failure ends it. */
export async function eachOf<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  // Not the iterator of the list itself: a failure in one loop closes this one for the others.
  const rest = items.values().map((item) => item);
  const runner = async () => {
    for (const item of rest) await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, runner));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}
