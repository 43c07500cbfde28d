/**
 * A real S3 server for tests: Ceph's radosgw from Debian's packages, unpacked (`dpkg -x`) and never installed.
 * One monitor, one object store in memory, one gateway, all on loopback; about 230 MB of memory while it runs.
 * Needs Debian 12 on x86-64 and, the first time, Debian's mirror (61 MB); the unpacked tree stays in the
 * system's temporary folder.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../support/free-port.ts';

export interface Radosgw {
  endpoint: string;
  accessKey: string;
  secretKey: string;
  stop(): Promise<void>;
}

const run = promisify(execFile);

export async function startRadosgw(): Promise<Radosgw> {
  const tree = await unpackedTree();
  const folder = await mkdtemp(join(tmpdir(), 'toledo-radosgw-run-'));
  const cluster = new Cluster(tree, folder, await freePort(), await freePort());
  try {
    return await cluster.start();
  } catch (error) {
    const logs = await cluster.logs();
    await cluster.stop();
    throw new Error(`radosgw did not start:\n${logs}`, { cause: error });
  }
}

class Cluster {
  readonly #tree: string;
  readonly #folder: string;
  readonly #monitorPort: number;
  readonly #gatewayPort: number;
  readonly #children: ChildProcess[] = [];

  constructor(tree: string, folder: string, monitorPort: number, gatewayPort: number) {
    this.#tree = tree;
    this.#folder = folder;
    this.#monitorPort = monitorPort;
    this.#gatewayPort = gatewayPort;
  }

  async start(): Promise<Radosgw> {
    const fsid = randomUUID();
    for (const name of ['monitor', 'store', 'gateway']) await mkdir(join(this.#folder, name));
    await writeFile(join(this.#folder, 'ceph.conf'), this.#configuration(fsid));
    await this.#tool(
      'ceph-authtool',
      '--create-keyring',
      'keyring',
      '--gen-key',
      '-n',
      'mon.',
      '--cap',
      'mon',
      'allow *',
    );
    for (const [name, monitorCap] of [
      ['osd.0', 'allow profile osd'],
      ['client.rgw', 'allow *'],
    ] as const) {
      const caps = ['--cap', 'mon', monitorCap, '--cap', 'osd', 'allow *'];
      await this.#tool('ceph-authtool', 'keyring', '--gen-key', '-n', name, ...caps);
    }
    const address = `[v2:127.0.0.1:${this.#monitorPort}/0]`;
    await this.#tool('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', address, 'monmap');
    // The store is in the map from the beginning, so Ceph's Python command line is not needed.
    await this.#tool('osdmaptool', '-c', 'ceph.conf', '--createsimple', '1', 'osdmap');
    const maps = ['--monmap', 'monmap', '--osdmap', 'osdmap', '--keyring', 'keyring'];
    await this.#tool('ceph-mon', '-c', 'ceph.conf', '--mkfs', '-i', 'a', ...maps);
    this.#daemon('ceph-mon', '-i', 'a');
    await this.#tool('ceph-osd', '-c', 'ceph.conf', '-i', '0', '--mkfs');
    this.#daemon('ceph-osd', '-i', '0');
    const accessKey = randomBytes(10).toString('hex');
    const secretKey = randomBytes(20).toString('hex');
    const keys = ['--access-key', accessKey, '--secret-key', secretKey];
    const user = ['user', 'create', '--uid', 'toledo', '--display-name', 'toledo'];
    await this.#tool('radosgw-admin', '-c', 'ceph.conf', '-n', 'client.rgw', ...user, ...keys);
    this.#daemon('radosgw', '-n', 'client.rgw');
    const endpoint = `http://127.0.0.1:${this.#gatewayPort}`;
    await this.#untilAnswering(endpoint);
    return { endpoint, accessKey, secretKey, stop: () => this.stop() };
  }

  async stop(): Promise<void> {
    for (const child of this.#children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      // Nothing of it is kept, so nothing has to be shut down in order.
      child.kill('SIGKILL');
      await gone;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  async logs(): Promise<string> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith('.out'));
    const texts = names.map(
      async (name) => `${name}: ${(await readFile(join(this.#folder, name), 'utf8')).slice(-2000)}`,
    );
    return (await Promise.all(texts)).join('\n');
  }

  #configuration(fsid: string): string {
    const libraries = join(this.#tree, 'usr/lib/x86_64-linux-gnu');
    return `[global]
fsid = ${fsid}
mon initial members = a
mon host = v2:127.0.0.1:${this.#monitorPort}/0
public addr = 127.0.0.1
mon data = ${this.#folder}/monitor
osd data = ${this.#folder}/store
osd objectstore = memstore
memstore device bytes = 4294967296
osd crush chooseleaf type = 0
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
mon allow pool size one = true
mon max pg per osd = 1000
mon cluster log to file = false
osd class dir = ${libraries}/rados-classes
plugin dir = ${libraries}/ceph
erasure code dir = ${libraries}/ceph/erasure-code
run dir = ${this.#folder}
admin socket =
pid file =
log to file = false
log to stderr = true
keyring = ${this.#folder}/keyring
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${this.#gatewayPort}
rgw data = ${this.#folder}/gateway
`;
  }

  async #tool(name: string, ...args: string[]): Promise<void> {
    await run(join(this.#tree, 'usr/bin', name), args, {
      cwd: this.#folder,
      env: this.#environment(),
      timeout: 60_000,
    });
  }

  #daemon(name: string, ...args: string[]): void {
    // A file and not a pipe: the gateway stood still once 64 KiB of its log waited in a pipe.
    const log = openSync(join(this.#folder, `${name}.out`), 'w');
    // The kernel ends it with us, even when we are killed.
    const command = ['--pdeathsig', 'KILL', join(this.#tree, 'usr/bin', name), '-c', 'ceph.conf', '-f', ...args];
    const child = spawn('setpriv', command, {
      cwd: this.#folder,
      env: this.#environment(),
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#children.push(child);
  }

  #environment(): NodeJS.ProcessEnv {
    const folders = ['usr/lib/x86_64-linux-gnu', 'usr/lib/x86_64-linux-gnu/ceph', 'lib/x86_64-linux-gnu'];
    return { PATH: '/usr/bin:/bin', LD_LIBRARY_PATH: folders.map((folder) => join(this.#tree, folder)).join(':') };
  }

  async #untilAnswering(endpoint: string): Promise<void> {
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; await setTimeout(100)) {
      const answer = await fetch(endpoint).catch(() => undefined);
      if (answer?.ok) return;
    }
    throw new Error('the gateway did not answer within 60 s');
  }
}

/** Downloads and unpacks once; a half-unpacked tree is never taken for a whole one. */
async function unpackedTree(): Promise<string> {
  const tree = join(tmpdir(), 'toledo-radosgw-16');
  if (existsSync(tree)) return tree;
  const work = await mkdtemp(join(tmpdir(), 'toledo-radosgw-get-'));
  try {
    // An empty cache of its own: apt does not name a package that it finds in the system's cache.
    await mkdir(join(work, 'partial'));
    const cache = ['-o', `Dir::Cache::archives=${work}`];
    const wanted = ['install', '--print-uris', '--yes', '--no-install-recommends', 'radosgw', 'ceph-mon', 'ceph-osd'];
    const { stdout } = await run('apt-get', [...cache, ...wanted], { maxBuffer: 10_000_000 });
    const packages = stdout.match(/^'[^']*' [^_ ]+_/gm)?.map((line) => line.replace(/^'[^']*' (.*)_$/, '$1')) ?? [];
    await run('apt-get', ['download', ...packages], { cwd: work, maxBuffer: 10_000_000 });
    for (const file of await readdir(work)) {
      if (file.endsWith('.deb')) await run('dpkg', ['-x', file, 'tree'], { cwd: work });
    }
    await rename(join(work, 'tree'), tree);
  } catch (error) {
    if (!existsSync(tree)) throw error;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return tree;
}
