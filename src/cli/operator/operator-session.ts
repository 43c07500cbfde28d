/** The database that operator commands work on, with or without a running server. */
import { userInfo } from 'node:os';
import { findAccount } from '../../accounts/account-store.ts';
import { loadConfig } from '../../config.ts';
import { borrowDatabaseServer } from '../../platform/database-server.ts';
import { createLog } from '../../platform/log.ts';
import { migrateAt } from '../../platform/migrate.ts';
import { type Db, openDatabase } from '../../platform/postgres.ts';
import { openQueue } from '../../platform/queue.ts';
import { loadSecrets, requireSameSecret } from '../../platform/secrets.ts';
import { type CommandArguments, type CommandOptions, flag, option } from '../command.ts';
import { terminal } from '../terminal.ts';

/** `accountOption` reads it. */
export const ofAccount: CommandOptions = { account: option('ACCOUNT', 'of this account only, by id or name') };

/** What operators may add to a command of partners: it then works on the database and not through the API. */
export const forOperators = {
  account: option('ACCOUNT', 'for operators: of this account, by id or name'),
  'all-accounts': flag('for operators: of all accounts'),
};

/** The account that --account names. @throws NOT_FOUND */
export async function accountOption(db: Db, { options: { account } }: CommandArguments): Promise<string | undefined> {
  return account === undefined ? undefined : (await findAccount(db, account)).id;
}

export type OperatorSession = Awaited<ReturnType<typeof operatorSession>>;

/** Everything that it opens is closed with it. */
export async function operatorSession() {
  const config = loadConfig(terminal().env);
  const log = createLog(config.logLevel === 'debug' ? 'debug' : 'silent');
  await using opening = new AsyncDisposableStack();
  const server = await borrowDatabaseServer(config, log);
  opening.defer(() => server.stop());
  const { url } = server;
  await migrateAt({ url, log });
  const { db, pool, close } = openDatabase({ url, poolSize: 2, log, applicationName: 'toledo operator' });
  opening.defer(close);
  const secrets = await loadSecrets(config.secret, config.dataDir);
  await requireSameSecret(db, secrets);
  const opened = opening.move();
  const stopped = <T extends { stop(): Promise<void> }>(service: T): T => {
    opened.defer(() => service.stop());
    return service;
  };
  return {
    config,
    db,
    secrets,
    /** Who runs the command, for the audit log. */
    actor: `command line (${userInfo().username})`,
    /** For what enqueues work. */
    openQueue: async () => stopped(await openQueue({ pool, databaseUrl: url, works: false, log })),
    /** For what takes all parts of the service; nothing listens. Loaded when it is asked for: most commands start in a third of the time without it. */
    openApplication: async () => {
      const { createApplication } = await import('../../app.ts');
      return stopped(await createApplication({ config, databaseUrl: url, role: 'api', log, warmProcesses: 0 }));
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
