/** Many machines in one: real processes that share a database and a bucket and nothing else, each with a disk of its own. */
import { strict as assert } from 'node:assert';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { type ServeProcess, startServe, toledo } from '../../support/toledo-process.ts';
import type { Radosgw } from './radosgw.ts';

export interface Machine extends ServeProcess {
  role: 'api' | 'worker';
  dataDir: string;
  killed: boolean;
}

export class Fleet {
  /** Every process that was ever started. */
  readonly machines: Machine[] = [];
  /** As a load balancer knows them: one that is being replaced keeps its place until the new one is there. */
  readonly apis: Machine[] = [];
  readonly #folder: string;
  readonly #env: Record<string, string>;
  readonly #starts: Promise<unknown>[] = [];

  /** @param folder where each process gets a data directory of its own */
  constructor(folder: string, env: Record<string, string>) {
    this.#folder = folder;
    this.#env = {
      TOLEDO_PORT: '0',
      TOLEDO_LOG_LEVEL: 'info',
      TOLEDO_SECRET: 'one secret for all the machines of a fleet',
      ...env,
    };
  }

  get workers(): Machine[] {
    return this.machines.filter(({ role, child }) => role === 'worker' && isRunning(child));
  }

  async startApi(): Promise<Machine> {
    const api = await this.#start('api');
    this.apis.push(api);
    return api;
  }

  startWorker(): Promise<Machine> {
    return this.#start('worker');
  }

  /** The next API in turn; a caller that passes the one it used last never meets the same one twice in a row. */
  apiAfter(last: Machine | undefined): Machine {
    const place = last === undefined ? Math.floor(Math.random() * this.apis.length) : this.apis.indexOf(last) + 1;
    return this.apis[place % this.apis.length] as Machine;
  }

  /** Stops one API as an update does, and starts another in its place. */
  async replaceApi(old: Machine): Promise<Machine> {
    await this.leave(old);
    const api = await this.#start('api');
    this.apis[this.apis.indexOf(old)] = api;
    return api;
  }

  /** SIGTERM: hands back what it has in hand, and ends by itself. */
  async leave(machine: Machine): Promise<void> {
    machine.child.kill('SIGTERM');
    assert.deepEqual(await machine.exited, { code: 0, signal: null }, machine.stderr().slice(-2_000));
  }

  /** kill -9. */
  async kill(machine: Machine): Promise<void> {
    machine.killed = true;
    machine.child.kill('SIGKILL');
    await machine.exited;
  }

  /** Runs an operator's command, on a machine of its own as well. */
  async command(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await toledo(args, {
      ...this.#env,
      TOLEDO_DATA_DIR: join(this.#folder, 'operator'),
    });
    assert.equal(code, 0, stderr);
    return stdout;
  }

  /** Returns the key of a new account. */
  async account(name: string, credits: number): Promise<string> {
    const limits = ['--credits', String(credits), '--rate-limit', '100000'];
    return JSON.parse(await this.command('account', 'create', name, ...limits, '--json')).api_key;
  }

  /** What any of them logged about a task. */
  logsOf(taskId: string): string {
    const lines = this.machines.flatMap((machine) => machine.stderr().split('\n'));
    return lines.filter((line) => line.includes(taskId)).join('\n');
  }

  async stop(): Promise<void> {
    await Promise.all(this.machines.filter(({ child }) => isRunning(child)).map((machine) => this.leave(machine)));
  }

  /** When a test has failed: nothing of it may stay. */
  async abandon(): Promise<void> {
    await Promise.allSettled(this.#starts);
    await Promise.all(this.machines.filter(({ child }) => isRunning(child)).map((machine) => this.kill(machine)));
  }

  async #start(role: 'api' | 'worker'): Promise<Machine> {
    const dataDir = join(this.#folder, `${role}-${this.#starts.length}`);
    const starting = startServe({ ...this.#env, TOLEDO_DATA_DIR: dataDir }, ['--role', role]);
    this.#starts.push(starting);
    const machine: Machine = { ...(await starting), role, dataDir, killed: false };
    this.machines.push(machine);
    return machine;
  }
}

/** Settings that lead to a new bucket of the gateway. */
export async function newBucket(gateway: Radosgw, bucket: string): Promise<Record<string, string>> {
  const credentials = { accessKeyId: gateway.accessKey, secretAccessKey: gateway.secretKey };
  const client = new S3Client({ endpoint: gateway.endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return {
    TOLEDO_STORAGE: `s3://${bucket}/books?endpoint=${gateway.endpoint}`,
    AWS_ACCESS_KEY_ID: gateway.accessKey,
    AWS_SECRET_ACCESS_KEY: gateway.secretKey,
  };
}

/** Files on the machine's own disk, as paths from its data directory. */
export async function filesOf({ dataDir }: Machine): Promise<string[]> {
  if (!existsSync(dataDir)) return [];
  const found = await readdir(dataDir, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dataDir.length + 1));
}

/** Tasks that a living machine says it has ended. */
export async function endedBy({ rootUrl }: Machine): Promise<number> {
  const text = await (await fetch(`${rootUrl}/metrics`)).text();
  return [...text.matchAll(/^toledo_tasks_ended_total\{[^}]*\} (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0);
}

function isRunning(child: ServeProcess['child']): boolean {
  return child.exitCode === null && child.signalCode === null;
}
