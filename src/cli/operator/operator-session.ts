/** The database that operator commands work on, with or without a running server. */
import { userInfo } from 'node:os';
import { findAccount } from '../../accounts/account-store.ts';
import type { Application } from '../../app.ts';
import { type Config, loadConfig } from '../../config.ts';
import { borrowDatabaseServer } from '../../platform/database-server.ts';
import { createLog } from '../../platform/log.ts';
import { migrateAt } from '../../platform/migrate.ts';
import { type Db, openDatabase } from '../../platform/postgres.ts';
import { type JobQueue, openQueue } from '../../platform/queue.ts';
import { loadSecrets, requireSameSecret, type Secrets } from '../../platform/secrets.ts';
import { type CommandArguments, optionalText } from '../command.ts';
import { terminal } from '../terminal.ts';

export interface OperatorSession {
  config: Config;
  db: Db;
  secrets: Secrets;
  /** For what enqueues work; to be stopped after use. */
  openQueue(): Promise<JobQueue>;
  /** For what takes all parts of the service; nothing listens, and it is to be stopped after use. */
  openApplication(): Promise<Application>;
  /** Who runs the command, for the audit log. */
  actor: string;
}

/** The account that --account names. @throws NOT_FOUND */
export async function accountOption(db: Db, args: CommandArguments): Promise<string | undefined> {
  const idOrName = optionalText(args, 'account');
  return idOrName === undefined ? undefined : (await findAccount(db, idOrName)).id;
}

export const migrationsFolder = new URL('../../../migrations/', import.meta.url);

export async function withOperatorSession<T>(use: (session: OperatorSession) => Promise<T>): Promise<T> {
  const config = loadConfig(terminal().env);
  const log = createLog(config.logLevel === 'debug' ? 'debug' : 'silent');
  await using opened = new AsyncDisposableStack();
  const server = await borrowDatabaseServer(config, log);
  opened.defer(() => server.stop());
  const { url } = server;
  await migrateAt({ url, log }, migrationsFolder);
  const { db, pool, close } = openDatabase({ url, poolSize: 2, log, applicationName: 'toledo operator' });
  opened.defer(close);
  const secrets = await loadSecrets(config.secret, config.dataDir);
  await requireSameSecret(db, secrets);
  return await use({
    config,
    db,
    secrets,
    openQueue: () => openQueue({ pool, databaseUrl: url, works: false, log }),
    // Loaded when it is asked for: most commands start in a third of the time without it.
    openApplication: async () => {
      const { createApplication } = await import('../../app.ts');
      return await createApplication({ config, databaseUrl: url, role: 'api', log, warmProcesses: 0 });
    },
    actor: `command line (${userInfo().username})`,
  });
}
