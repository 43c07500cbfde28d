/** A fault the operator must read: one sentence on what is wrong, one on the way out. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** Every fault of the embedded database has the same last resort, so no message can forget it. */
export function embeddedFault(what: string, cause?: unknown): EmbeddedPostgresError {
  const sentence = /[.!?]$/.test(what) ? what : `${what}.`;
  return new EmbeddedPostgresError(
    `${sentence} To use a PostgreSQL server of your own instead, set TOLEDO_DATABASE_URL.`,
    { cause },
  );
}
