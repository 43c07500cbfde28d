/** A primary and a standby of PostgreSQL behind one address that can be moved from one to the other, as a failover does. */
import { execFile, spawn } from 'node:child_process';
import { rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { startInstalledPostgres, unprivilegedAccount } from '../../support/installed-postgres.ts';
import { databaseUrl } from '../../support/test-database.ts';
import { eventually } from '../../support/workers.ts';

export interface ReplicatedPostgres {
  /** Leads to whichever server is the primary. */
  url: string;
  /** Ends the primary at once, as a power cut does: nothing is said to anybody. */
  losePrimary(): Promise<void>;
  /** Makes the standby the primary, and moves the address to it. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

const run = promisify(execFile);

/**
 * Every commit waits for the standby, so nothing that was acknowledged can be lost.
 * @param folders three that exist and are empty, readable by the account of the servers
 */
export async function startReplicatedPostgres(
  binDir: string,
  folders: { primary: string; standby: string; address: string },
): Promise<ReplicatedPostgres> {
  const account = process.getuid?.() === 0 ? unprivilegedAccount() : {};
  const primary = await startInstalledPostgres(binDir, folders.primary);
  const tool = (name: string, ...args: string[]) => run(join(binDir, name), args, { ...account, cwd: '/' });
  const standbyDir = join(folders.standby, 'cluster');
  await tool('pg_basebackup', '-h', folders.primary, '-U', 'toledo', '-D', standbyDir, '-R', '-X', 'stream');
  const settings = ['listen_addresses=', 'max_connections=300'].flatMap((setting) => ['-c', setting]);
  const standby = spawn(join(binDir, 'postgres'), ['-D', standbyDir, '-k', folders.standby, ...settings], {
    ...account,
    cwd: '/',
    stdio: 'ignore',
  });
  const standbyGone = new Promise<void>((resolve) => standby.once('exit', () => resolve()));
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  await client.query('create database toledo');
  await client.query(`alter system set synchronous_standby_names = '*'`);
  await client.query('select pg_reload_conf()');
  const inStep = async () =>
    (await client.query("select from pg_stat_replication where sync_state = 'sync'")).rows.length > 0;
  await eventually(inStep, 'a standby that every commit waits for');
  await client.end();

  const link = join(folders.address, 'server');
  const point = async (folder: string) => {
    await symlink(folder, `${link}.next`);
    await rename(`${link}.next`, link);
  };
  await point(folders.primary);
  let lost = false;
  return {
    url: databaseUrl(`postgresql://toledo@localhost/x?host=${encodeURIComponent(link)}`, 'toledo'),
    async losePrimary() {
      lost = true;
      await tool('pg_ctl', 'stop', '-m', 'immediate', '-D', join(folders.primary, 'cluster'));
    },
    async promote() {
      await tool('pg_ctl', 'promote', '-D', standbyDir);
      await point(folders.standby);
    },
    async stop() {
      standby.kill('SIGQUIT');
      await standbyGone;
      if (!lost) await primary.stop();
    },
  };
}
