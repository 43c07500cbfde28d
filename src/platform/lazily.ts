/** A value that is made when it is first asked for, and kept. */
export function lazily<T extends object | string>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** Made at most once in a while, however many pages ask. */
export function shared<T>(make: () => Promise<T>, forMs: number): () => Promise<T> {
  let made: { at: number; value: Promise<T> } | undefined;
  return () => {
    if (made === undefined || performance.now() - made.at > forMs) {
      const value = make();
      made = { at: performance.now(), value };
      value.catch(() => {
        if (made?.value === value) made = undefined;
      });
    }
    return made.value;
  };
}
