import { type ChildProcess, spawn } from 'node:child_process';
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
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { lastLines } from './cluster.ts';
import type { Exit } from './embedded-server.ts';
import { embeddedFault } from './fault.ts';
import { type Folders, socketPort } from './folders.ts';
import { findLeftoverBackends } from './postmaster.ts';
import type { Launch } from './privileges.ts';
import { waitUntilReady } from './readiness.ts';

export interface ServerProcess {
  child: ChildProcess;
  pid: number;
  exited: Promise<Exit>;
}

export interface ServerSettings {
  socketDir: string;
  maxConnections: number;
}

const logLimitBytes = 20 * 1024 * 1024;

/** How long backends without a postmaster may delay a start before they are ended; most end within 100 ms. */
const leftoverGraceMs = 2_000;

/** Starts the server on a prepared cluster and resolves when it answers. The caller holds the start lock. */
export async function startServer(
  binaries: Binaries,
  folders: Folders,
  launch: Launch,
  settings: ServerSettings,
): Promise<ServerProcess> {
  // No server runs on this cluster, so the pid in the file is dead or belongs to another program. The server itself would
  // mistake any living process of its account for a second server and refuse to start.
  rmSync(join(folders.cluster, 'postmaster.pid'), { force: true });
  const begunAt = Date.now();
  for (;;) {
    const logFrom = rotateLog(folders);
    const server = spawnServer(binaries, folders, launch, settings);
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

function spawnServer(binaries: Binaries, folders: Folders, launch: Launch, settings: ServerSettings): ServerProcess {
  const { file, args, options } = launch.command(
    binaries.postgres,
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

/** Their postmaster is dead, so nothing they do can be committed; recovery starts from the log on disk. */
function endLeftoverBackends(folders: Folders): void {
  for (const pid of findLeftoverBackends(folders)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}
