export interface EmbeddedPostgres {
  url: string;
  pid: number;
  /** True when the server was running already. */
  adopted: boolean;
  /** Stops the server, unless another process owns it. May be called twice. */
  stop(): Promise<void>;
  /** Resolves when the server has ended. For an adopted server, which is not our child, code and signal are unknown. */
  exited: Promise<Exit>;
}

export interface EmbeddedPostgresOptions {
  /** For example `./data`; the database lives in `<dataDir>/postgres`. */
  dataDir: string;
  /** Default 100. */
  maxConnections?: number;
  log: Tell;
}

/** Writes a line of the operator's log. */
export type Tell = (message: string, fields?: Record<string, unknown>) => void;

export type Exit = { code: number | null; signal: string | null };

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
