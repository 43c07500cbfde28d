/**
 * Debian's PgBouncer in transaction mode in front of a PostgreSQL, unpacked (`dpkg -x`) and never installed. Needs Debian
 * on x86-64 and, the first time, Debian's mirror (0.3 MB); the unpacked tree stays in the system's temporary folder.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../support/free-port.ts';
import { unprivilegedAccount } from '../../support/installed-postgres.ts';

export interface PgBouncer {
  /** The same database, through the pooler. */
  url: string;
  version: string;
  stop(): Promise<void>;
}

export interface PgBouncerOptions {
  /** Of the database behind it; a Unix socket in `host`, without a password. */
  databaseUrl: string;
  /** Connections to the server, for all clients together. */
  poolSize: number;
  /** More lines for the section [pgbouncer]. */
  settings?: readonly string[];
  /** Run on every new connection to the server. */
  connectQuery?: string;
}

const run = promisify(execFile);

export async function startPgBouncer(options: PgBouncerOptions): Promise<PgBouncer> {
  const tree = await unpackedTree();
  const folder = await mkdtemp(join(tmpdir(), 'toledo-pgbouncer-run-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const target = new URL(options.databaseUrl);
  const database = target.pathname.slice(1);
  const connectQuery = options.connectQuery === undefined ? '' : ` connect_query='${options.connectQuery}'`;
  await writeFile(join(folder, 'users'), `"${target.username}" ""\n`);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${database} = host=${target.searchParams.get('host')} user=${target.username}${connectQuery}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${folder}/users
pool_mode = transaction
default_pool_size = ${options.poolSize}
max_client_conn = 500
${(options.settings ?? []).join('\n')}
`,
  );
  const env = { PATH: '/usr/bin:/bin', LD_LIBRARY_PATH: join(tree, 'usr/lib/x86_64-linux-gnu') };
  const binary = join(tree, 'usr/sbin/pgbouncer');
  const version = (await run(binary, ['--version'], { env })).stdout.split('\n')[0] as string;
  // The account of the server, whose socket nobody else may open.
  const account = process.getuid?.() === 0 ? unprivilegedAccount() : {};
  // The kernel ends it with us, even when we are killed.
  const command = ['--pdeathsig', 'KILL', binary, '-q', join(folder, 'pgbouncer.ini')];
  const child = spawn('setpriv', command, { ...account, cwd: '/', env, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const url = `postgresql://${target.username}@127.0.0.1:${port}/${database}`;
  const stop = () => ended(child, folder);
  try {
    await untilAnswering(url, child);
  } catch (error) {
    await stop();
    throw new Error(`PgBouncer did not start: ${output}`, { cause: error });
  }
  return { url, version, stop };
}

async function untilAnswering(url: string, child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + 30_000; ; await sleep(100)) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (Date.now() > deadline || child.exitCode !== null) throw error;
    }
  }
}

async function ended(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }
  await rm(folder, { recursive: true, force: true });
}

/** Downloads and unpacks once; a half-unpacked tree is never taken for a whole one. */
async function unpackedTree(): Promise<string> {
  const tree = join(tmpdir(), 'toledo-pgbouncer');
  if (existsSync(tree)) return tree;
  const work = await mkdtemp(join(tmpdir(), 'toledo-pgbouncer-get-'));
  try {
    // What else it needs is part of every Debian with PostgreSQL, except its resolver of names.
    await run('apt-get', ['download', 'pgbouncer', 'libc-ares2', 'libevent-2.1-7'], { cwd: work });
    await mkdir(join(work, 'tree'));
    for (const file of await readdir(work)) {
      if (file.endsWith('.deb')) await run('dpkg', ['-x', file, 'tree'], { cwd: work });
    }
    await chmod(join(work, 'tree'), 0o755);
    await rename(join(work, 'tree'), tree);
  } catch (error) {
    if (!existsSync(tree)) throw new Error('PgBouncer was not found: apt-get download pgbouncer', { cause: error });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return tree;
}
