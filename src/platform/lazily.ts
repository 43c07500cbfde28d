/** A value that is made when it is first asked for, and kept. */
export function lazily<T extends object | string>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
