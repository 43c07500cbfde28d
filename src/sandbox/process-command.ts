/** The command of a sandbox process: what it may read and write, how much memory it may use, and that it ends with us. */
import { existsSync, realpathSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Confinement {
  memoryMb: number;
  readable: readonly string[];
  writable: readonly string[];
}

/**
 * Where compiled code is kept, when this process keeps any: a sandbox process then starts with 0.25 instead of 0.7 s of processor
 * time. It may write there only until its modules are loaded: a process that reads a hostile book must not leave code to others.
 */
export const compileCache = parentOf(getCompileCacheDir());

/** Young objects get 4 MB instead of up to 32: reading 20 MB of text is no slower and takes 50 MB less. */
export const smallNursery: readonly string[] = ['--max-semi-space-size=4'];

/** Both of util-linux. */
const setpriv = '/usr/bin/setpriv';
const prlimit = '/usr/bin/prlimit';

/** Writable memory that Node 26 maps at its start and leaves untouched for the most part; the limit counts what is mapped. */
const mappedMb = { x64: 582, arm64: 306 };
const spareMb = 58;

/**
 * `setpriv` and `prlimit` where available. The first makes the kernel end the process with its parent; the second caps what the
 * heap limit does not see, such as Buffers. Elsewhere the heap and time limits remain.
 */
export function confinedNode({ memoryMb, readable, writable }: Confinement): [program: string, ...args: string[]] {
  const cache = compileCache === undefined ? [] : [compileCache];
  const files = [
    ...readPermissions(readable, cache),
    ...writable.map((folder) => `--allow-fs-write=${folder}/*`),
    ...cache.map((folder) => `--allow-fs-write=${folder}`),
  ];
  const node = [process.execPath, `--max-old-space-size=${memoryMb}`, ...smallNursery, '--permission', ...files];
  const [program = process.execPath, ...args] = [
    ...(existsSync(setpriv) ? [setpriv, '--pdeathsig', 'KILL', '--'] : []),
    ...(existsSync(prlimit) ? [prlimit, `--data=${dataBytes(memoryMb)}`, '--core=0', '--'] : []),
    ...node,
    '--disable-warning=ExperimentalWarning',
  ];
  return [program, ...args];
}

/** Buffers and the like may use as much as the heap. */
function dataBytes(memoryMb: number): number {
  const startMb = process.arch === 'arm64' ? mappedMb.arm64 : mappedMb.x64;
  return (startMb + spareMb + memoryMb * 2) * 1024 * 1024;
}

/** Our code is where this file is; the packages may be somewhere else, behind a link. */
function readPermissions(folders: readonly string[], cache: readonly string[]): string[] {
  if (folders.length === 0) return ['--allow-fs-read=*'];
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const packages = join(root, 'node_modules');
  const code = [root, ...(existsSync(packages) ? [`${realpathSync(packages)}/`] : [])];
  return [...code, ...[...folders, ...cache].map((folder) => `${folder}/`)].map(
    (folder) => `--allow-fs-read=${folder}*`,
  );
}

function parentOf(path: string | undefined): string | undefined {
  return path === undefined ? undefined : dirname(path);
}
