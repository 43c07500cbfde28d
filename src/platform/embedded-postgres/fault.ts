/** An error for the operator: one sentence on what is wrong, one on how to fix it. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** Every error of the embedded database has the same last resort, so it is added here to every message. */
export function embeddedFault(what: string, cause?: unknown): EmbeddedPostgresError {
  const sentence = /[.!?]$/.test(what) ? what : `${what}.`;
  return new EmbeddedPostgresError(
    `${sentence} To use a PostgreSQL server of your own instead, set TOLEDO_DATABASE_URL.`,
    { cause },
  );
}
