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
