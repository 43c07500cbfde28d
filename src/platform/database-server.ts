/**
 * The PostgreSQL server behind the connection: an external one when TOLEDO_DATABASE_URL is set, otherwise the embedded one.
 * This process starts (or adopts) the embedded one and restarts it if it dies.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { findRunningEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import type { Log } from './log.ts';

export interface DatabaseServer {
  url: string;
  embedded: boolean;
  stop(): Promise<void>;
}

type DatabaseConfig = Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'dataDir'>;

export async function startDatabaseServer(config: DatabaseConfig, log: Log): Promise<DatabaseServer> {
  if (config.databaseUrl) return external(config.databaseUrl.reveal());
  refuseUnfinishedRestore(config.dataDir);
  const start = () =>
    startEmbeddedPostgres({ dataDir: config.dataDir, log: (message, postgres) => log.info({ postgres }, message) });
  let running = await start();
  const { url } = running;
  let stopping = false;
  let restarting: Promise<void> = Promise.resolve();

  const startAgain = async (): Promise<void> => {
    for (let attempt = 0; !stopping; attempt++) {
      log.error({ attempt }, 'the embedded database went away; starting it again');
      try {
        running = await start();
        return keepAlive();
      } catch (err) {
        log.error({ err }, 'the embedded database does not start');
        await sleep(Math.min(5_000, 250 * 2 ** attempt));
      }
    }
  };
  const keepAlive = (): void => {
    void running.exited.then(() => {
      if (!stopping) restarting = startAgain();
    });
  };
  keepAlive();

  return {
    url,
    embedded: true,
    async stop() {
      stopping = true;
      await restarting;
      await running.stop();
    },
  };
}

/**
 * For commands: uses the running server, or starts one for the duration of the command. Bypasses a pooler, because a
 * backup reads in one long transaction.
 */
export async function borrowDatabaseServer(config: DatabaseConfig, log: Log): Promise<DatabaseServer> {
  if (config.databaseUrl) return external((config.databaseDirectUrl ?? config.databaseUrl).reveal());
  const running = await findRunningEmbeddedPostgres(config.dataDir);
  if (running) return { url: running.url, embedded: true, stop: async () => {} };
  refuseUnfinishedRestore(config.dataDir);
  const started = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    log: (message, postgres) => log.debug({ postgres }, message),
  });
  return { url: started.url, embedded: true, stop: () => started.stop() };
}

/** In a data directory while `npx toledo restore` fills it. */
export const restoringFolder = 'restoring';

/** A service started there would create an empty database in place of the one being restored. */
function refuseUnfinishedRestore(dataDir: string): void {
  if (existsSync(join(dataDir, restoringFolder)))
    throw new Error(
      `A restore into ${dataDir} is under way or was interrupted; wait for it, or run "npx toledo restore" again.`,
    );
}

function external(url: string): DatabaseServer {
  return { url, embedded: false, stop: async () => {} };
}
