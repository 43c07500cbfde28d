import { createHash } from 'node:crypto';
import { chmod, lchown, lstat, mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { embeddedFault } from './embedded-server.ts';

/** The port never opens; it only names the socket file. */
export const socketPort = 5432;

/** sun_path holds 108 bytes with its NUL on Linux and 104 on macOS; the smaller one serves both. */
const socketPathLimitBytes = 103;

export type Folders = ReturnType<typeof foldersOf>;

/** Everything of the embedded database below `<dataDir>/postgres`. */
export function foldersOf(dataDir: string) {
  const base = join(resolve(dataDir), 'postgres');
  return {
    base,
    /** The PostgreSQL data directory. */
    cluster: join(base, 'cluster'),
    /** Library links that the package does not have. */
    links: join(base, 'lib'),
    log: join(base, 'server.log'),
    /** Held while a process starts or stops the server. */
    startLock: join(base, 'start.lock'),
    /** Held by the process that supervises the server, as long as it lives. */
    ownerLock: join(base, 'owner.lock'),
  };
}

/**
 * Makes the base folder and returns the folders by their real path. 0711: the account that runs the server must
 * pass through to `cluster` and `socket` (both 0700), but owns neither the base folder nor the locks.
 */
export async function makeFolders(dataDir: string): Promise<Folders> {
  await mkdir(dataDir, { recursive: true });
  const folders = foldersOf(await realpath(dataDir));
  const made = await mkdir(folders.base, { recursive: true, mode: 0o711 });
  if (made) await chmod(folders.base, 0o711);
  return folders;
}

/**
 * A 0700 folder for the socket: the only way in, which is what makes `trust` authentication safe. Beside the
 * cluster where the path is short and plain; otherwise below the temporary folder. The running server's
 * postmaster.pid remembers which one it was.
 */
export async function makeSocketDir(folders: Folders, ownerUid: number): Promise<string> {
  const beside = join(folders.base, 'socket');
  if (fitsSocket(beside)) {
    await mkdir(beside, { recursive: true, mode: 0o700 });
    return await lockDown(beside, ownerUid);
  }
  const name = `toledo-${createHash('sha256').update(folders.cluster).digest('hex').slice(0, 16)}`;
  const temporary = fitsSocket(join(tmpdir(), name)) ? tmpdir() : '/tmp';
  const derived = join(temporary, name);
  try {
    await mkdir(derived, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const existing = await lstat(derived);
    const isOurs = existing.uid === process.getuid?.() || existing.uid === ownerUid;
    // In a world-writable folder another user can take our name first: then use a name that cannot be guessed.
    if (!existing.isDirectory() || !isOurs) return await lockDown(await mkdtemp(`${derived}-`), ownerUid);
  }
  return await lockDown(derived, ownerUid);
}

export function connectionUrl(socketDir: string, database = 'toledo'): string {
  // "localhost" satisfies parsers that insist on a host; `host=` wins in pg and libpq.
  return `postgresql://toledo@localhost/${database}?host=${encodeURIComponent(socketDir)}&port=${socketPort}`;
}

/** Plain characters only: the server reads a comma as a list and quotes as syntax. */
function fitsSocket(folder: string): boolean {
  return (
    /^[\w@%+=:./-]+$/.test(folder) && Buffer.byteLength(join(folder, `.s.PGSQL.${socketPort}`)) <= socketPathLimitBytes
  );
}

async function lockDown(folder: string, ownerUid: number): Promise<string> {
  const now = await lstat(folder);
  // Not through a link: as root we may work in a folder of an ordinary user, who could aim it at any file.
  if (!now.isDirectory()) throw embeddedFault(`${folder} is not a folder; remove it`);
  if (now.uid !== ownerUid) await lchown(folder, ownerUid, now.gid);
  if ((now.mode & 0o777) !== 0o700) await chmod(folder, 0o700);
  return folder;
}
