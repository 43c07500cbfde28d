/** The whole service under `strace`: which files it opens or changes, whom it connects to, how much memory it takes. */
import { execFileSync } from 'node:child_process';
import { open, readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type ServeProcess, startCommand } from '../../support/toledo-process.ts';

export interface TracedServe extends ServeProcess {
  /** Begins a new watch: what was traced before is not looked at any more. */
  mark(): Promise<void>;
  /** Every traced call since the mark that could leave the sandbox. */
  escapes(allowed: AllowedCalls): Promise<{ calls: number; escapes: string[] }>;
  /** Memory of all its processes together. */
  rssBytes(): Promise<number>;
  /** Processor time of all its processes that still run. */
  processorMs(): Promise<number>;
  stop(): Promise<void>;
}

export interface AllowedCalls {
  /** Folders in which files may be written. */
  writes: readonly string[];
  /** Folders and files that may be read. */
  reads: readonly RegExp[];
  /** Where the database is: the folder of its socket, or its local port. */
  database: string;
}

const binary = fileURLToPath(new URL('../../../bin/toledo', import.meta.url));
const calls =
  '%network,openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,execve';

export function requireStrace(): void {
  try {
    execFileSync('strace', ['--version'], { stdio: 'ignore' });
  } catch {
    throw new Error('This proof needs strace (Debian package `strace`) and the right to trace processes.');
  }
}

export async function startTracedServe(traceFile: string, env: Record<string, string>): Promise<TracedServe> {
  requireStrace();
  const args = ['-f', '--seccomp-bpf', '-qq', '-s', '300', '-e', `trace=${calls}`, '-o', traceFile, binary, 'serve'];
  const serve = await startCommand('strace', args, env);
  let from = 0;
  return {
    ...serve,
    async mark() {
      from = (await stat(traceFile)).size;
    },
    async escapes(allowed) {
      const file = await open(traceFile);
      try {
        const { size } = await file.stat();
        const bytes = Buffer.alloc(size - from);
        await file.read(bytes, 0, bytes.length, from);
        const lines = bytes.toString().split('\n').filter(Boolean);
        return { calls: lines.length, escapes: [...new Set(lines.filter((line) => escaped(line, allowed)))] };
      } finally {
        await file.close();
      }
    },
    async rssBytes() {
      const sizes = await Promise.all((await descendants(serve.pid)).map(residentBytes));
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    async processorMs() {
      const times = await Promise.all((await descendants(serve.pid)).map(processorTicks));
      return times.reduce((sum, ticks) => sum + ticks, 0) * 10; // Linux counts hundredths of a second
    },
    async stop() {
      const [traced] = await childrenOf(serve.pid);
      if (traced !== undefined) process.kill(traced, 'SIGTERM');
      await serve.exited;
    },
  };
}

/** Lines look like `123 openat(AT_FDCWD, "/x", O_RDONLY) = 3`; the second half of an interrupted one has no arguments. */
function escaped(line: string, { writes, reads, database }: AllowedCalls): boolean {
  const [, call = '', rest = ''] = /^\d+\s+(\w+)\((.*)$/.exec(line) ?? [];
  const paths = [...rest.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, path]) => path as string);
  const isIn = (path: string) => writes.some((folder) => path === folder || path.startsWith(`${folder}/`));
  switch (call) {
    case '':
      return false;
    case 'open':
    case 'openat': {
      const path = paths[0] ?? '';
      if (/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(rest)) return !isIn(path) && path !== '/dev/null';
      return !isIn(path) && !reads.some((pattern) => pattern.test(path));
    }
    case 'connect':
    case 'sendto':
    case 'sendmsg': {
      if (!rest.includes('sa_family=')) return false;
      if (rest.includes('sa_family=AF_UNIX')) return !paths[0]?.startsWith(`${database}/`);
      return !(rest.includes('inet_addr("127.0.0.1")') && rest.includes(`htons(${database})`));
    }
    case 'execve':
      // Readers of files are replaced now and then; they are the only program that a request may start.
      return !rest.includes('/src/sandbox/sandbox-process-main.ts"');
    case 'creat':
    case 'mkdir':
    case 'mkdirat':
    case 'rename':
    case 'renameat':
    case 'renameat2':
    case 'link':
    case 'linkat':
    case 'symlink':
    case 'symlinkat':
    case 'unlink':
    case 'unlinkat':
      return !paths.every(isIn);
    default:
      return false;
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

async function descendants(pid: number): Promise<number[]> {
  const children = await childrenOf(pid);
  return [...children, ...(await Promise.all(children.map(descendants))).flat()];
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}

/** User and system time: the 14th and 15th field, counted after the name, which may hold anything. */
async function processorTicks(pid: number): Promise<number> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}
