import type { SpawnOptions } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import type { Binaries } from './binaries.ts';
import { embeddedFault } from './embedded-server.ts';
import type { Folders } from './folders.ts';
import { runProgram } from './run-program.ts';

/** How to run PostgreSQL's programs from this process: they refuse to run as root. */
export type Launch = Awaited<ReturnType<typeof chooseLaunch>>;

interface Way {
  kind: string;
  /** Whom the cluster and the socket must belong to, as seen from here. */
  uid: number;
  gid: number;
  /** Words in front of the program that enter a user namespace. */
  enter?: string[];
  /** How setpriv changes the account; undefined without setpriv, which alone can have the kernel end the program with us. */
  setpriv?: string[];
  /** Without setpriv, the child itself changes to uid and gid. */
  setsIds?: boolean;
}

interface Account extends Pick<Way, 'uid' | 'gid'> {
  name: string;
}

/** Fixed, because only the configuration reads the environment and a server should not depend on a shell's. */
const programPath = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin';

/**
 * Chooses by trying: each way has to enter the base folder and run both programs with `--version`. That proves the privileges,
 * every folder on both paths, the loader and the libraries at once.
 *
 * As root: another account through setpriv (or plain setuid where setpriv is missing). Programs or data below a 0700 folder such
 * as /root are out of that account's reach. Then it takes a user namespace in which root's files look like that account's. As an
 * ordinary user: a plain child.
 */
export async function chooseLaunch(binaries: Binaries, folders: Folders) {
  const failures: string[] = [];
  for (const way of waysFor(folders)) {
    const { uid, gid, kind } = way;
    const command = commandOf(way, binaries);
    const { postgres, initdb } = binaries;
    const script = 'cd -- "$1" && "$2" --version && exec "$3" --version';
    const probe = command('/bin/sh', ['-c', script, 'sh', folders.base, initdb, postgres], 'KILL');
    const result = await runProgram(probe.file, probe.args, { ...probe.options, timeoutMs: 20_000 });
    const version = /^postgres \(PostgreSQL\) (\d+)/m.exec(result.output);
    /** Whether the kernel will signal the program when this process dies. */
    const diesWithParent = way.setpriv !== undefined && isMainThread;
    if (result.code === 0 && version)
      return { kind, uid, gid, postgres, initdb, diesWithParent, command, majorVersion: Number(version[1]) };
    const said = result.output.trim().split('\n').at(-1)?.slice(0, 300);
    failures.push(`${kind}: ${said || `exit code ${result.code}`}`);
  }
  throw embeddedFault(`${unusableReason()} (tried ${failures.join('; ') || 'nothing'})`);
}

function unusableReason(): string {
  if (process.platform === 'linux' && !hasGlibc()) {
    return 'The embedded PostgreSQL needs glibc 2.27 or later, which this system (Alpine, musl) does not have';
  }
  return process.getuid?.() === 0
    ? 'PostgreSQL refuses to run as root, and no way was found to run it as another account that can reach the programs and the data directory. Run Toledo as an ordinary user, or move both out of folders that only root may enter'
    : 'The embedded PostgreSQL cannot be run by this account';
}

function hasGlibc(): boolean {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime !== undefined;
}

function waysFor(folders: Folders): Way[] {
  const uid = process.getuid?.() ?? -1;
  const gid = process.getgid?.() ?? -1;
  const accounts = readAccounts();
  const guests = ['postgres', 'nobody'].flatMap((name) => accounts.find((account) => account.name === name) ?? []);
  // A user namespace shows our own files under a guest's number; outside they stay ours.
  const inNamespace = guests.slice(0, 1).flatMap((guest) => namespaceWays(guest, uid, gid));
  if (uid === 0) {
    // A cluster that an ordinary user made keeps running as that user: a single `sudo npm start` must not lock that user out.
    const owner = accounts.find((account) => account.uid !== 0 && account.uid === clusterOwner(folders));
    const hosts = owner ? [owner, ...guests.filter((guest) => guest.uid !== owner.uid)] : guests;
    return [...hosts.flatMap(accountWays), ...inNamespace];
  }
  // initdb must find its account by number; a container started with an arbitrary uid has none.
  if (!hasName()) return inNamespace;
  const plain: Way = { kind: 'plain child', uid, gid };
  return process.platform === 'linux' ? [{ ...plain, setpriv: [] }, plain] : [plain];
}

function accountWays({ uid, gid, name }: Account): Way[] {
  return [
    { kind: `account ${name}`, uid, gid, setpriv: [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] },
    { kind: `account ${name} without setpriv`, uid, gid, setsIds: true },
  ];
}

function namespaceWays(guest: Account, uid: number, gid: number): Way[] {
  if (process.platform !== 'linux') return [];
  const kind = `user namespace as ${guest.name}`;
  const enter = ['unshare', '--user', `--map-user=${guest.uid}`, `--map-group=${guest.gid}`, '--'];
  return [
    { kind, uid, gid, enter, setpriv: [] },
    { kind: `${kind} without setpriv`, uid, gid, enter },
  ];
}

function commandOf({ uid, gid, enter = [], setpriv, setsIds }: Way, binaries: Binaries) {
  const env = { PATH: programPath, LC_ALL: 'C', TZ: 'UTC', ...binaries.env };
  const options: SpawnOptions = { cwd: '/', env, ...(setsIds ? { uid, gid } : {}) };
  return (program: string, args: readonly string[], deathSignal?: 'INT' | 'KILL') => {
    // Off the main thread, the signal would come when that worker thread ends, while the service is still running.
    const death = deathSignal && isMainThread ? ['--pdeathsig', deathSignal] : [];
    const wrapper = setpriv === undefined ? enter : [...enter, 'setpriv', ...setpriv, ...death, '--'];
    const [file = program, ...rest] = [...wrapper, program, ...args];
    return { file, args: rest, options };
  };
}

function clusterOwner(folders: Folders): number | undefined {
  return statSync(folders.cluster, { throwIfNoEntry: false })?.uid;
}

function hasName(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

/** /etc/passwd rather than the `id` program: it is there in every container. */
function readAccounts(): Account[] {
  const file = '/etc/passwd';
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text.split('\n').flatMap((line) => {
    const [name = '', , uid = '', gid = ''] = line.split(':');
    return /^\d+$/.test(uid) && /^\d+$/.test(gid) ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}
