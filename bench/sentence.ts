/**
 * How long a task of one sentence takes over HTTP, from the POST to the poll that shows it completed: the service as
 * `npm start` starts it, with the sandbox engine, one task after another. With another checkout of this repository both
 * are measured in turns, so that noise falls on both.
 * `node_modules/.bin/node bench/sentence.ts [TASKS] [OTHER_CHECKOUT]`
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LeanClient, percentile } from '../test/support/lean-client.ts';
import { type ServeProcess, startCommand } from '../test/support/toledo-process.ts';
import { processorTime } from './processor-time.ts';
import { addRow } from './rows.ts';

const count = Number(process.argv[2] ?? 200);
const other = process.argv[3];
const warmUp = 20;
const perTurn = 10;
const pollMs = 2;

interface Site {
  name: string;
  service: ServeProcess;
  api: string;
  key: string;
  times: { create: number; whole: number }[];
  /** Of the service and its database, while its tasks were running. */
  processorMs: number;
}

const folder = await mkdtemp(join(tmpdir(), 'toledo-bench-'));
const client = new LeanClient(4);
const sites: Site[] = [];
try {
  sites.push(await openSite('here', new URL('../', import.meta.url).pathname));
  if (other !== undefined) sites.push(await openSite('there', other));
  for (const site of sites) for (let i = 0; i < warmUp; i++) await timed(site, i);
  const load = loadavg()[0] ?? 0;
  for (let done = 0; done < count; done += perTurn)
    for (const site of sites) {
      const before = processorTime().descendantsMs;
      for (let i = 0; i < perTurn; i++) site.times.push(await timed(site, warmUp + done + i));
      site.processorMs += processorTime().descendantsMs - before;
    }
  for (const { name, times, processorMs } of sites) {
    const wholes = times.map(({ whole }) => whole);
    const creates = times.map(({ create }) => create);
    print(
      `${name}: a sentence ${figures(wholes)}; of it the create ${figures(creates)}; processor time ${(processorMs / times.length).toFixed(0)} ms`,
    );
    if (name !== 'here') continue;
    const limit = `one task after another, client, service and database on one machine at a load of ${load.toFixed(1)}`;
    addRow({ name: 'a sentence, from POST to completed, p50', value: percentile(wholes, 0.5), unit: 'ms', limit });
    addRow({ name: 'a sentence, from POST to completed, p99', value: percentile(wholes, 0.99), unit: 'ms', limit });
  }
  print(`load ${load.toFixed(1)} at the start, ${(loadavg()[0] ?? 0).toFixed(1)} at the end`);
} finally {
  client.close();
  for (const { service } of sites) service.child.kill('SIGTERM');
  for (const { service } of sites) await service.exited;
  await rm(folder, { recursive: true, force: true });
}

async function openSite(name: string, root: string): Promise<Site> {
  const env = { TOLEDO_DATA_DIR: join(folder, name), TOLEDO_PORT: '0', TOLEDO_LOG_LEVEL: 'warn' };
  const service = await startCommand(join(root, 'bin/toledo'), ['serve'], env);
  // The demo account of the first start may ask once a second; its operator allows more.
  const { key, account } = await openAccount(root, env);
  print(`${name}: ${root}, account ${account}`);
  return { name, service, api: `${service.rootUrl}/api/v1`, key, times: [], processorMs: 0 };
}

async function openAccount(root: string, env: Record<string, string>): Promise<{ key: string; account: string }> {
  const { execFile } = await import('node:child_process');
  const args = ['account', 'create', 'bench', '--credits', '1000000000', '--rate-limit', '100000', '--json'];
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  execFile(join(root, 'bin/toledo'), args, { env: { PATH: process.env.PATH ?? '', ...env } }, (error, stdout) =>
    error ? reject(error) : resolve(stdout),
  );
  const made = JSON.parse(await promise);
  return { key: made.api_key, account: made.account_id };
}

async function timed({ api, key }: Site, n: number): Promise<{ create: number; whole: number }> {
  const startedAt = performance.now();
  const body = JSON.stringify({
    action: 'translation',
    source_lang: 'en',
    target_lang: 'de',
    text: `The lamp number ${n} on the quay was out.`,
  });
  const headers = { 'content-type': 'application/json' };
  const created = await client.send('POST', `${api}/tasks`, { key, body, headers });
  if (created.status !== 201) throw new Error(`${created.status} ${created.text}`);
  const create = performance.now() - startedAt;
  const { task_id: id } = JSON.parse(created.text).data;
  for (;;) {
    const { text } = await client.send('GET', `${api}/tasks/${id}`, { key });
    const { status } = JSON.parse(text).data;
    if (status === 'completed') return { create, whole: performance.now() - startedAt };
    if (status !== 'pending') throw new Error(text);
    await sleep(pollMs);
  }
}

function figures(times: readonly number[]): string {
  const parts = [0.5, 0.9, 0.99].map((share) => `p${share * 100} ${percentile(times, share).toFixed(0)}`);
  return `${parts.join(', ')} ms`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
