/**
 * Hostile archives, XML and HTML through the API, traced: refused or inert, no file read outside the sandbox, no
 * connection. Needs strace.
 */
import { strict as assert } from 'node:assert';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { hostileArchives } from '../documents/hostile-archives.ts';
import { hostileXml } from '../documents/hostile-xml.ts';
import { sampleEpub3 } from '../documents/sample-books.ts';
import { LeanClient } from '../support/lean-client.ts';
import { requirePrograms } from '../support/proof.ts';
import { startTestApp } from '../support/test-app.ts';
import { startTracedServe } from './support/traced-serve.ts';

requirePrograms({ strace: 'Debian package strace' });

interface Attack {
  title: string;
  fileName: string;
  bytes: () => Uint8Array;
  reasons: readonly string[] | undefined;
}

const mib = 1024 * 1024;
const app = await startTestApp({ role: 'api' });
const folder = await realpath(await mkdtemp(join(tmpdir(), 'toledo-traced-')));
const serve = await startTracedServe(join(folder, 'trace'), {
  TOLEDO_DATA_DIR: app.dataDir,
  TOLEDO_DATABASE_URL: app.databaseUrl,
  TOLEDO_PORT: '0',
  TOLEDO_LOG_LEVEL: 'warn',
});
const client = new LeanClient(2);
after(async () => {
  client.close();
  await serve.stop();
  await rm(folder, { recursive: true, force: true });
});
const { key } = await app.account({ credits: 1_000_000_000, rateLimitPerMinute: 100_000 });

const repository = fileURLToPath(new URL('../../', import.meta.url));
const allowed = {
  writes: [app.dataDir],
  // Our own files, and what Node reads of the system when a process of ours starts.
  reads: [
    new RegExp(`^${repository}`),
    /^\/(?:proc|sys|dev)\//,
    /^\/etc\/(?:ld\.so\.cache|localtime)$/,
    /^\/(?:usr\/)?(?:lib|lib64|share\/zoneinfo)\//,
    /openssl\.cnf$/,
  ],
  database: new URL(app.databaseUrl).searchParams.get('host') ?? new URL(app.databaseUrl).port,
};

function form(file: Uint8Array, fileName: string): { headers: Record<string, string>; body: Uint8Array } {
  const field = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const head = `${field('action', 'token_estimate')}${field('estimated_chars', '1000000')}--b\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--b--\r\n')]);
  return { headers: { 'content-type': 'multipart/form-data; boundary=b' }, body };
}

const send = (bytes: Uint8Array, fileName: string) =>
  client.send('POST', `${serve.rootUrl}/api/v1/tasks`, { key, ...form(bytes, fileName) });

async function endOf(taskId: string): Promise<string> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; ) {
    const { text } = await client.send('GET', `${serve.rootUrl}/api/v1/tasks/${taskId}`, { key });
    const { status } = JSON.parse(text).data;
    if (status !== 'pending') return status;
  }
  throw new Error(`${taskId} did not end`);
}

/** Sends them one after the other, with the memory of all processes looked at all the time. */
async function proveHarmless(attacks: readonly Attack[], maxGrownMiB = Number.POSITIVE_INFINITY): Promise<object> {
  for (let i = 0; i < 3; i++) {
    const answer = await send(sampleEpub3(), 'good.epub');
    assert.equal(await endOf(JSON.parse(answer.text).data.task_id), 'completed');
  }
  await serve.mark();
  const rssBefore = await serve.rssBytes();
  let [rssMost, slowestMs, running] = [rssBefore, 0, true];
  let worst = '';
  const watching = (async () => {
    while (running) {
      rssMost = Math.max(rssMost, await serve.rssBytes());
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  const statuses: Record<number, number> = {};
  try {
    for (const { title, fileName, bytes, reasons } of attacks) {
      const file = bytes();
      const spentBefore = await serve.processorMs();
      const answer = await send(file, fileName);
      // Processor time instead of the clock where that is less: a busy machine does not make a file hostile.
      const spentMs = Math.min(answer.elapsedMs, (await serve.processorMs()) - spentBefore);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      const where = `${title}: ${answer.status} ${answer.text.slice(0, 300)}`;
      if (reasons === undefined) {
        assert.equal(answer.status, 201, where);
        await endOf(JSON.parse(answer.text).data.task_id);
      } else {
        assert.equal(answer.status, 400, where);
        if (reasons.length > 0) assert.ok(reasons.includes(JSON.parse(answer.text).error.details.reason), where);
      }
      assert.ok(spentMs <= 2_000, `${where}: ${Math.round(spentMs)} ms`);
      if (spentMs > slowestMs) [slowestMs, worst] = [spentMs, title];
    }
  } finally {
    running = false;
    await watching;
  }
  const { calls, escapes } = await serve.escapes(allowed);
  assert.deepEqual(escapes, [], 'files outside the sandbox, or connections');
  assert.ok(calls > attacks.length, 'the trace is not empty');
  const grownMiB = Math.round((rssMost - rssBefore) / mib);
  assert.ok(grownMiB <= maxGrownMiB, `${grownMiB} MiB more memory`);
  return { files: attacks.length, statuses, slowestMs: Math.round(slowestMs), worst, grownMiB, tracedCalls: calls };
}

const list = (reason: string | readonly string[] | undefined) => (typeof reason === 'string' ? [reason] : reason);

test(`${hostileArchives.length} hostile archives and 200 truncations through the API: 400 within 2 s and 150 MiB, no file outside the sandbox, no connection`, async (context) => {
  const whole = sampleEpub3();
  const cut = Array.from({ length: 200 }, (_, i) => whole.subarray(0, Math.floor((whole.length * i) / 200)));
  context.diagnostic(
    JSON.stringify(
      await proveHarmless(
        [
          ...hostileArchives.map(([title, bytes, reason]) => ({
            title,
            fileName: 'book.epub',
            bytes,
            reasons: list(reason),
          })),
          ...cut.map((bytes, i) => ({ title: `cut ${i}`, fileName: 'book.epub', bytes: () => bytes, reasons: [] })),
        ],
        150,
      ),
    ),
  );
});

test(`${hostileXml.length} hostile XML and HTML files through the API: refused or inert within 2 s, nothing read outside, no connection`, async (context) => {
  context.diagnostic(
    JSON.stringify(await proveHarmless(hostileXml.map((file) => ({ ...file, reasons: list(file.reason) })))),
  );
});
