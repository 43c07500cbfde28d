import { spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findBinaries } from './binaries.ts';
import { lastLines, prepareCluster } from './cluster.ts';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  type Exit,
  embeddedFault,
  type Tell,
} from './embedded-server.ts';
import { connectionUrl, type Folders, makeSocketDir, socketPort } from './folders.ts';
import { waitForKernelLock } from './kernel-lock.ts';
import { endLeftoverBackends, stopServer } from './postmaster.ts';
import { chooseLaunch, type Launch } from './privileges.ts';
import { waitUntilReady } from './readiness.ts';

type ServerProcess = ReturnType<typeof spawnServer>;

interface ServerSettings {
  socketDir: string;
  maxConnections: number;
}

const logLimitBytes = 20 * 1024 * 1024;

/** How long backends without a postmaster may delay a start before they are ended; most end within 100 ms. */
const leftoverGraceMs = 2_000;

/** An owner whose server has died notices at once, unless its event loop is blocked. */
const ownerLockTimeoutMs = 10_000;

/** Makes the cluster if there is none and starts a server of our own. The caller holds the start lock. */
export async function startOwnServer(folders: Folders, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  // No server is visible, so an owner that still holds the lock is about to notice that its server died. Or it runs in another
  // container that shares this folder, whose processes we cannot see: then we must not start.
  const ownerLock = await waitForKernelLock(folders.ownerLock, ownerLockTimeoutMs);
  if (!ownerLock) {
    throw embeddedFault(
      `Another process still supervises the embedded database in ${folders.base}, perhaps in another container that shares the folder`,
    );
  }
  try {
    const begunAt = Date.now();
    const launch = await chooseLaunch(await findBinaries(folders.links), folders);
    await prepareCluster(folders, launch, options.log);
    const socketDir = await makeSocketDir(folders, launch.uid);
    const maxConnections = options.maxConnections ?? 100;
    const server = await startServer(folders, launch, { socketDir, maxConnections });
    const exited = server.exited.then((exit) => {
      ownerLock.release();
      return exit;
    });
    // The database alone does not keep a process alive that has nothing else to do.
    server.child.unref();
    options.log('embedded database ready', {
      pid: server.pid,
      launch: launch.kind,
      diesWithParent: launch.diesWithParent,
      durationMs: Date.now() - begunAt,
    });
    let stopping: Promise<void> | undefined;
    const stop = () => (stopping ??= stopOwnServer({ ...server, exited }, folders, socketDir, options.log));
    return { url: connectionUrl(socketDir), pid: server.pid, adopted: false, exited, stop };
  } catch (error) {
    ownerLock.release();
    throw error;
  }
}

async function stopOwnServer(server: ServerProcess, folders: Folders, socketDir: string, log: Tell): Promise<void> {
  server.child.ref();
  // Keeps a start from adopting what we are about to stop. Stopping must work even if the folder was deleted.
  const startLock = await waitForKernelLock(folders.startLock, 10_000).catch(() => undefined);
  try {
    await stopServer(server.pid, folders, log);
    await server.exited;
    // A folder beside the cluster stays; one below the temporary folder must be removed.
    if (socketDir !== join(folders.base, 'socket')) await rm(socketDir, { recursive: true, force: true });
  } finally {
    startLock?.release();
  }
}

/** Starts the server on a prepared cluster and resolves when it answers. The caller holds the start lock. */
async function startServer(folders: Folders, launch: Launch, settings: ServerSettings): Promise<ServerProcess> {
  // No server runs on this cluster, so the pid in the file is dead or belongs to another program. The server itself would
  // mistake any living process of its account for a second server and refuse to start.
  rmSync(join(folders.cluster, 'postmaster.pid'), { force: true });
  const begunAt = Date.now();
  for (;;) {
    const logFrom = rotateLog(folders);
    const server = spawnServer(folders, launch, settings);
    const ready = await waitUntilReady(settings.socketDir, server.exited);
    if (ready === 'ready') return server;
    if (ready === 'timeout') server.child.kill('SIGQUIT');
    await server.exited;
    const said = readFileSync(folders.log).subarray(logFrom).toString();
    // Backends of a killed postmaster still hold the shared memory.
    if (!/shared memory block|lock file/.test(said) || Date.now() - begunAt > 15_000) {
      const fatal = said.split('\n').findLast((line) => /FATAL|PANIC|error while loading/.test(line));
      throw embeddedFault(
        `The embedded database in ${folders.cluster} did not start: ${fatal ?? lastLines(said)} (the whole story is in ${folders.log})`,
      );
    }
    if (Date.now() - begunAt > leftoverGraceMs) endLeftoverBackends(folders);
    await delay(100);
  }
}

function spawnServer(folders: Folders, launch: Launch, settings: ServerSettings) {
  const { file, args, options } = launch.command(
    launch.postgres,
    serverArguments(folders, settings),
    // SIGINT is the fast shutdown: end the sessions, write a checkpoint, go.
    'INT',
  );
  const log = openLog(folders, launch);
  // A file, not a pipe: the server must be able to write after we have ended. Its own session: Ctrl-C goes to the service,
  // which stops the server last.
  const child = spawn(file, args, { ...options, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => resolve({ code: null, signal: null }));
  });
  return { child, pid: child.pid ?? -1, exited };
}

/** Never through a link: as root we may work in a folder of an ordinary user, who could aim it at any file. */
function openLog(folders: Folders, launch: Launch): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const log = openSync(folders.log, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  const { uid, nlink } = fstatSync(log);
  if (uid !== launch.uid && nlink === 1) fchownSync(log, launch.uid, launch.gid);
  return log;
}

/** On the command line rather than in postgresql.conf, so that a new release brings its settings along. */
function serverArguments(folders: Folders, settings: ServerSettings): string[] {
  const parameters: Record<string, string | number> = {
    // No TCP port at all: the bundled OpenSSL is old, and the 0700 socket folder is the only way in.
    listen_addresses: '',
    unix_socket_permissions: '0700',
    max_connections: settings.maxConnections,
    // Stated explicitly because money depends on them.
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    // A small machine, shared with the service itself.
    shared_buffers: '128MB',
    huge_pages: 'off',
    jit: 'off',
    // Parallel plans want /dev/shm, of which a container has 64 MB; mmap survives systemd's RemoveIPC, which
    // deletes a user's shared memory at logout.
    max_parallel_workers_per_gather: 0,
    dynamic_shared_memory_type: 'mmap',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // Neither statements nor row values in the log: they hold partners' texts.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  };
  return [
    // -D first: that is how a running server is recognised.
    ...['-D', folders.cluster, '-k', settings.socketDir, '-p', String(socketPort), '-c', 'cluster_name=toledo'],
    ...Object.entries(parameters).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

/** Keeps at most one former log, so both together stay near 40 MB. Returns where this start's lines begin. */
function rotateLog(folders: Folders): number {
  const size = statSync(folders.log, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= logLimitBytes) return size;
  renameSync(folders.log, `${folders.log}.1`);
  return 0;
}
