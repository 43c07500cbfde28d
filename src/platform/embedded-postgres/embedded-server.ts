import type { Exit } from './server-process.ts';

export interface EmbeddedPostgres {
  url: string;
  pid: number;
  /** True when the server was running already. */
  adopted: boolean;
  /** Stops the server, or only disconnects if another process owns it (see the rule below). May be called twice. */
  stop(): Promise<void>;
  /** Resolves when the server has ended. For an adopted server, which is not our child, code and signal are unknown. */
  exited: Promise<Exit>;
}

export interface EmbeddedPostgresOptions {
  /** For example `./data`; the database lives in `<dataDir>/postgres`. */
  dataDir: string;
  /** Default 100. */
  maxConnections?: number;
  log: (message: string, fields?: Record<string, unknown>) => void;
  /** Default true: the server shuts itself down when this process dies, even by kill -9 (Linux with setpriv). */
  dieWithParent?: boolean;
}
