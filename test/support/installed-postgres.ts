/** Starts a throw-away cluster from PostgreSQL binaries that are installed on the machine, such as Debian's 15. */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { administer, databaseUrl } from './test-database.ts';

export async function startInstalledPostgres(
  binDir: string,
  folder: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const account = process.getuid?.() === 0 ? unprivilegedAccount() : undefined;
  const dataDir = join(folder, 'cluster');
  mkdirSync(dataDir, { mode: 0o700 });
  if (account) {
    chownSync(folder, account.uid, account.gid);
    chownSync(dataDir, account.uid, account.gid);
  }
  const options = { ...account, cwd: '/', stdio: 'ignore' as const };
  if (!existsSync(join(binDir, 'initdb')))
    throw new Error(`There is no PostgreSQL in ${binDir}; on Debian: apt-get install postgresql-15`);
  execFileSync(
    join(binDir, 'initdb'),
    ['-D', dataDir, '-U', 'toledo', '--auth=trust', '--no-locale', '-E', 'UTF8'],
    options,
  );
  const settings = ['listen_addresses=', 'max_connections=300', 'fsync=off'].flatMap((setting) => ['-c', setting]);
  const server = spawn(join(binDir, 'postgres'), ['-D', dataDir, '-k', folder, ...settings], options);
  const url = `postgresql://toledo@localhost/postgres?host=${encodeURIComponent(folder)}`;
  await untilReady(url);
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        server.once('exit', () => resolve());
        server.kill('SIGINT');
      }),
  };
}

/** A separate server with a database that has no schema yet. */
export async function startEmptyDatabase(binDir: string): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'toledo-postgres-'));
  const server = await startInstalledPostgres(binDir, folder);
  await administer(server.url, 'create database fleet');
  return {
    url: databaseUrl(server.url, 'fleet'),
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(url: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (attempt > 100) throw error;
      await sleep(100);
    }
  }
}

/** PostgreSQL and PgBouncer refuse to run as root. */
export function unprivilegedAccount(): { uid: number; gid: number } {
  const lines = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const entry = lines.find((fields) => fields[0] === 'postgres') ?? lines.find((fields) => fields[0] === 'nobody');
  if (!entry) throw new Error('There is no account "postgres" or "nobody" to run the server under.');
  return { uid: Number(entry[2]), gid: Number(entry[3]) };
}
