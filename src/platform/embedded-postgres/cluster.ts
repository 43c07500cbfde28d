import { chown, lchown, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../sync-folder.ts';
import { embeddedFault, type Tell } from './embedded-server.ts';
import type { Folders } from './folders.ts';
import type { Launch } from './privileges.ts';
import { runProgram } from './run-program.ts';

/** Two seconds on a quiet machine; one with a load of 20 needed more than two minutes. */
export const initdbTimeoutMs = 10 * 60_000;

/**
 * Makes sure that there is a usable cluster: created if missing, owned by the right account, of the right version.
 * The caller holds the start lock and no server is running.
 */
export async function prepareCluster(folders: Folders, launch: Launch, log: Tell): Promise<void> {
  await removeUnfinished(folders, log);
  const owner = await stat(folders.cluster).catch(ignoreMissing);
  if (!owner) {
    await makeCluster(folders, launch, log);
    return;
  }
  if (owner.uid !== launch.uid) await giveTo(folders, launch, owner.uid);
  await checkVersion(folders, launch);
}

/** initdb works in a folder of its own and one rename makes it the cluster: a crash never leaves half a cluster. */
async function makeCluster(folders: Folders, launch: Launch, log: Tell): Promise<void> {
  const unfinished = await mkdtemp(join(folders.base, `init-${process.pid}-`));
  await chown(unfinished, launch.uid, launch.gid);
  const initdb = launch.command(
    launch.initdb,
    [
      ...['-D', unfinished, '-U', 'toledo', '--auth=trust', '--no-locale', '-E', 'UTF8'],
      ...['--data-checksums', '--no-instructions'],
    ],
    // A half-made cluster is useless, so initdb may be killed together with us.
    'KILL',
  );
  log('the embedded database is being created', { folder: folders.base });
  // A group of its own: what initdb has started must not write on into a folder that is being removed.
  const options = { ...initdb.options, detached: true, timeoutMs: initdbTimeoutMs };
  const result = await runProgram(initdb.file, initdb.args, options);
  if (result.code !== 0) {
    await removeUnfinished(folders, log);
    throw embeddedFault(
      `The embedded database could not be created in ${folders.base}: ${lastLines(result.output)}. Nothing was lost; start again`,
    );
  }
  await rename(unfinished, folders.cluster);
  await syncFolder(folders.base);
}

/**
 * Left behind by an initdb that did not end. No other process works here: we hold the start lock. A folder that cannot be removed is in
 * nobody's way, so the start goes on; the log says what to remove.
 */
async function removeUnfinished(folders: Folders, log: Tell): Promise<void> {
  for (const name of await readdir(folders.base)) {
    if (!name.startsWith('init-')) continue;
    const folder = join(folders.base, name);
    try {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    } catch (error) {
      log('a half-made database could not be removed; remove the folder when nothing works in it', {
        folder,
        reason: String(error),
      });
    }
  }
}

async function giveTo(folders: Folders, launch: Launch, formerUid: number): Promise<void> {
  try {
    for (const entry of await readdir(folders.cluster, { recursive: true, withFileTypes: true })) {
      await lchown(join(entry.parentPath, entry.name), launch.uid, launch.gid);
    }
    // The folder itself last: if we are interrupted it still shows the former owner, and the next start goes on.
    await chown(folders.cluster, launch.uid, launch.gid);
  } catch (cause) {
    throw embeddedFault(
      `The embedded database in ${folders.cluster} belongs to the account with uid ${formerUid}, and this one (uid ${launch.uid}) may not use it; run Toledo as that account or as root, or choose another TOLEDO_DATA_DIR`,
      cause,
    );
  }
}

async function checkVersion(folders: Folders, launch: Launch): Promise<void> {
  const clusterVersion = (await readFile(join(folders.cluster, 'PG_VERSION'), 'utf8').catch(ignoreMissing))?.trim();
  if (clusterVersion === String(launch.majorVersion)) return;
  throw embeddedFault(
    clusterVersion
      ? `The embedded database in ${folders.cluster} was made by PostgreSQL ${clusterVersion}, but this release of Toledo brings PostgreSQL ${launch.majorVersion}; go back to the release that made it, or choose another TOLEDO_DATA_DIR`
      : `${folders.cluster} is not a PostgreSQL cluster (it has no PG_VERSION); move it away, or choose another TOLEDO_DATA_DIR`,
  );
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}

export function lastLines(text: string): string {
  return text.trim().split('\n').slice(-3).join(' | ').slice(-600);
}
