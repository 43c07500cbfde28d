/**
 * Marked secrets in every place where something secret can stand, through the whole life of tasks with failures and
 * hostile requests, are in no log, metric, trace or error body. Size: tasks.
 */
import { strict as assert } from 'node:assert';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateApiKey } from '../../src/accounts/api-key.ts';
import { openArchive } from '../../src/documents/archive/archive.ts';
import { createArchive, rewriteArchive } from '../../src/documents/archive/archive-writer.ts';
import { sampleEpub3 } from '../documents/sample-books.ts';
import type { Answer, CallOptions } from '../support/api-client.ts';
import { type IndiscreetEngine, startIndiscreetEngine } from '../support/indiscreet-engine.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { proofRun } from '../support/proof.ts';
import { startSimulatedLlm } from '../support/simulated-llm/server.ts';
import { create, untilEnded } from '../support/task-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { type ServeProcess, startWorkerProcess } from '../support/toledo-process.ts';
import { eventually } from '../support/workers.ts';

const { size: tasks, isLong } = proofRun({ short: 4, long: 40 });

test('keys, signatures, text, terms and names are in no log, metric, trace or error body, whatever goes wrong', async (context) => {
  const figures = await proveSilence({ tasks });
  context.diagnostic(JSON.stringify(figures));
  assert.ok(!isLong || figures.canaries >= tasks * 12.5, `${figures.canaries} canaries`);
});

interface SilenceFigures {
  canaries: number;
  byKind: Record<string, number>;
  logLines: number;
  spans: number;
  errorBodies: number;
}

async function proveSilence({ tasks }: { tasks: number }): Promise<SilenceFigures> {
  const stage = await openStage();
  for (const faults of [[], [500, 401, 200], [400], [403, 429]]) {
    stage.engine.faults = faults;
    await translateBooks(stage, Math.ceil(tasks / 4), faults.length > 0);
  }
  stage.engine.faults = [];
  await sendHostileRequests(stage, tasks);
  await breakTheDatabase(stage);
  return await assertSilent(stage);
}

interface Stage {
  app: TestApp;
  worker: ServeProcess;
  engine: IndiscreetEngine;
  receiver: OtlpReceiver;
  /** Kind by value. */
  canaries: Map<string, string>;
  canary(kind: string): string;
  lines: string[];
  errorBodies: string[];
  /** Like `app.call`, and keeps what went wrong. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

async function openStage(): Promise<Stage> {
  const canaries = new Map<string, string>();
  // Letters and digits only: no encoding on the way can hide one. Begins with a capital, as a name in a book does.
  const canary = (kind: string) => {
    const value = `Qx${randomBytes(9).toString('hex')}`;
    canaries.set(value, kind);
    return value;
  };
  const llm = await startSimulatedLlm({ timeScale: 0.001, seed: 3 });
  const engine = await startIndiscreetEngine(llm.url);
  const receiver = await startOtlpReceiver();
  after(() => Promise.all([receiver.stop(), engine.stop(), llm.stop()]));
  const env = {
    TOLEDO_LOG_LEVEL: 'debug',
    TOLEDO_OTLP_ENDPOINT: receiver.url,
    TOLEDO_SECRET: canary('secret').repeat(2),
    TOLEDO_OPERATOR_TOKEN: canary('operator token').repeat(2),
    TOLEDO_ENGINE: 'openai-compatible',
    TOLEDO_ENGINE_BASE_URL: engine.url,
    TOLEDO_ENGINE_API_KEY: canary('engine key'),
    TOLEDO_ENGINE_MODEL: 'simulated',
    TOLEDO_ENGINE_CONCURRENCY: '8',
  };
  const lines: string[] = [];
  const app = await startTestApp({ env, role: 'api', logDestination: { write: (line) => void lines.push(line) } });
  const { password } = new URL(app.databaseUrl);
  if (password.length > 8) canaries.set(decodeURIComponent(password), 'database password');
  const worker = await startWorkerProcess({
    ...env,
    TOLEDO_DATA_DIR: app.dataDir,
    TOLEDO_DATABASE_URL: app.databaseUrl,
  });
  after(async () => {
    worker.child.kill('SIGKILL');
    await worker.exited;
  });
  const errorBodies: string[] = [];
  return {
    app,
    worker,
    engine,
    receiver,
    canaries,
    canary,
    lines,
    errorBodies,
    async call(method, path, options) {
      const answer = await app.call(method, path, options);
      if (answer.status >= 400) errorBodies.push(answer.text);
      return answer;
    },
  };
}

/** Whole lives of tasks: created in every form, translated or failed, looked at, downloaded, deleted. */
async function translateBooks(stage: Stage, count: number, mayFail: boolean): Promise<void> {
  const { app, canary, canaries, errorBodies } = stage;
  const numbers = Array.from({ length: count }, (_, i) => i).values();
  const partner = async () => {
    for (const i of numbers) {
      const { id, key } = await app.account({ credits: 100_000 });
      noteKey(canaries, key);
      const fields = {
        action: (['translation', 'translation', 'preview_translation', 'token_estimate'] as const)[i % 4] as string,
        source_lang: 'en',
        target_lang: 'fr',
        estimated_chars: '20000',
        glossary: JSON.stringify({ [canary('glossary term')]: canary('glossary term') }),
        metadata: JSON.stringify({ external_id: canary('metadata'), [canary('metadata')]: 'x' }),
      };
      const paragraph = () => `${canary('book text')} lit the lamp on the quay and waited for the boats to come home.`;
      const words = [paragraph(), paragraph(), paragraph()];
      const file = [
        () => ({ content: words.join('\n\n'), fileName: `${canary('file name')}.txt` }),
        () => ({ content: markedEpub(words), fileName: `${canary('file name')}.epub` }),
        () => ({ content: `<html><body><p>${words.join('</p><p>')}</p></body></html>`, fileName: 'page.html' }),
      ][i % 3] as () => { content: string | Uint8Array<ArrayBuffer>; fileName: string };
      const options = { file: file(), idempotencyKey: canary('idempotency key') };
      const created = await create(app, key, fields, options);
      assert.equal(created.status, 201, created.text);
      const taskId = created.body.data.task_id;
      errorBodies.push((await create(app, key, { ...fields, target_lang: 'de' }, options)).text);
      if (mayFail) {
        // An engine that refuses leaves tasks failed or waiting: both have told the log why by then.
        await Promise.race([untilEnded(app, key, taskId), sleep(800)]).catch(() => {});
        await app.call('POST', `/api/v1/tasks/${taskId}/cancel`, { key });
      } else await untilEnded(app, key, taskId);
      const { body } = await app.call('GET', `/api/v1/tasks/${taskId}`, { key });
      if (body.data.error) errorBodies.push(JSON.stringify(body.data.error));
      await downloadAndSpoil(stage, key, taskId);
      if (i % 5 === 0) await stage.call('DELETE', `/api/v1/tasks/${taskId}`, { key });
      noteKey(canaries, (await app.newKey(id)).key);
    }
  };
  await Promise.all([partner(), partner(), partner(), partner()]);
}

async function downloadAndSpoil({ app, call, canaries }: Stage, key: string, taskId: string): Promise<void> {
  const link = await call('GET', `/api/v1/tasks/${taskId}/download`, { key });
  if (link.status !== 200) return;
  const url = new URL(link.body.data.download_url);
  canaries.set(url.searchParams.get('signature') ?? '', 'URL signature');
  assert.equal((await fetch(url)).status, 200);
  const path = url.href.slice(app.rootUrl.length);
  for (const spoilt of [path.replace('expires=1', 'expires=2'), `${path}&x=1`, path.replace('translated', 'report')])
    await call('GET', spoilt);
}

/** A key may be recognised by its first 13 characters, and by no more. */
function noteKey(canaries: Map<string, string>, key: string): void {
  canaries.set(key.slice(13), 'API key');
}

async function sendHostileRequests(stage: Stage, count: number): Promise<void> {
  const { app, call, canary, canaries } = stage;
  const { key } = await app.account({ credits: 1_000 });
  noteKey(canaries, key);
  for (let i = 0; i < Math.ceil(count / 3); i++) {
    const unknown = generateApiKey('live');
    noteKey(canaries, unknown);
    await call('GET', '/api/v1/usage', { key: unknown });
    await call('GET', '/api/v1/usage', { headers: { authorization: `Basic ${canary('bad authorization')}` } });
    await call('GET', `/api/v1/${canary('path')}?q=${canary('query')}`, { key });
    await call('GET', `/api/v1/tasks/${canary('path')}?${canary('query')}=1`, { key });
    await call('GET', `/api/v1/tasks?cursor=${canary('query')}`, { key });
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data'])
      await call('POST', '/api/v1/tasks', {
        key,
        headers: { 'content-type': type },
        body: `{"${canary('broken body')}`,
      });
    const bad = { action: canary('value'), target_lang: canary('value'), text: canary('book text') };
    await call('POST', '/api/v1/tasks', { key, body: new URLSearchParams(bad) });
    await call('POST', '/api/v1/tasks', {
      key,
      body: new URLSearchParams({ ...bad, glossary: canary('glossary term') }),
    });
    for (const content of brokenBooks(canary)) {
      const form = new FormData();
      for (const [name, value] of Object.entries({ action: 'translation', target_lang: 'fr', char_limit: '500' }))
        form.set(name, value);
      form.set('file', new Blob([content as Uint8Array<ArrayBuffer>]), `${canary('file name')}.epub`);
      const { status, text } = await call('POST', '/api/v1/tasks', { key, body: form });
      assert.equal(status, 400, text);
    }
    await sendRaw(app, `GET /${canary('raw request')} HTTP/9.9\r\nX: ${canary('raw request')}\r\n\r\n`);
    await sendRaw(app, `POST /api/v1/tasks HTTP/1.1\r\nHost: x\r\nbad ${canary('raw request')}\r\n\r\n`);
  }
}

/** Faults of our own, in an API process and in a worker, while they hold what a partner sent. */
async function breakTheDatabase({ app, call, canary, worker }: Stage): Promise<void> {
  const { pool } = app.application.database;
  const { key } = await app.account({ credits: 10_000 });
  const fields = () => ({
    action: 'translation',
    target_lang: 'fr',
    text: `${canary('book text')} went down to the harbour.`,
    glossary: JSON.stringify({ [canary('glossary term')]: canary('glossary term') }),
  });
  const body = () => new URLSearchParams(fields());
  for (const table of ['rate_limits', 'idempotency_keys', 'tasks', 'credit_holds']) {
    await pool.query(`alter table ${table} rename to away`);
    try {
      const headers = { 'idempotency-key': canary('idempotency key') };
      const { status, text } = await call('POST', '/api/v1/tasks', { key, headers, body: body() });
      assert.equal(status, 500, text);
    } finally {
      await pool.query(`alter table away rename to ${table}`);
    }
  }
  await pool.query('alter table checkpoints rename to away');
  try {
    await call('POST', '/api/v1/tasks', { key, body: body() });
    await eventually(async () => worker.stderr().includes('unexpected fault'), 'a fault in the worker');
  } finally {
    await pool.query('alter table away rename to checkpoints');
  }
}

async function assertSilent(stage: Stage): Promise<SilenceFigures> {
  const { app, worker, receiver, canaries, lines, errorBodies } = stage;
  const metrics = await Promise.all(
    [app.rootUrl, worker.rootUrl].map(async (url) => await (await fetch(`${url}/metrics`)).text()),
  );
  worker.child.kill('SIGTERM');
  assert.deepEqual(await worker.exited, { code: 0, signal: null }, worker.stderr().slice(-2_000));
  await sleep(1_500); // the API process sends its spans once a second
  const places = {
    'the log of the API': lines.join(''),
    'the log of the worker': worker.stderr() + worker.stdout(),
    metrics: metrics.join(''),
    traces: JSON.stringify(receiver.spans),
    'an error body': errorBodies.join('\n'),
  };
  const lower = Object.entries(places).map(([place, text]) => [place, text.toLowerCase()] as const);
  const hits = [...canaries].flatMap(([value, kind]) =>
    lower.filter(([, text]) => text.includes(value.toLowerCase())).map(([place]) => `${kind} in ${place}`),
  );
  assert.deepEqual([...new Set(hits)], [], `${hits.length} hits`);
  // The silence is not emptiness.
  assert.match(places['the log of the API'], /"msg":"request"/);
  assert.match(places['the log of the worker'], /no engine answers|task failed/);
  assert.match(places.metrics, /toledo_engine_calls_total\{/);
  assert.ok(receiver.spans.some((span) => span.name === 'call engine' && span.status.code === 2));
  assert.ok(
    [...stage.engine.keysSeen].some((key) => canaries.get(key) === 'engine key'),
    'the engine knew the key',
  );
  const byKind: Record<string, number> = {};
  for (const kind of canaries.values()) byKind[kind] = (byKind[kind] ?? 0) + 1;
  return {
    canaries: canaries.size,
    byKind,
    logLines: lines.length + worker.stderr().split('\n').length,
    spans: receiver.spans.length,
    errorBodies: errorBodies.length,
  };
}

function markedEpub(words: readonly string[]): Uint8Array<ArrayBuffer> {
  const page = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body><p>${words.join('</p><p>')}</p></body></html>`;
  const replace = new Map([['OEBPS/one.xhtml', Buffer.from(page)]]);
  return new Uint8Array(
    rewriteArchive(openArchive(sampleEpub3()), {
      replace,
      first: { name: 'mimetype', content: Buffer.from('application/epub+zip') },
    }),
  );
}

/** Refused in different places: by the archive, by the XML, for what is missing, for what it is not. */
function brokenBooks(canary: (kind: string) => string): Uint8Array[] {
  const good = openArchive(sampleEpub3());
  const withPart = (name: string, content: string) =>
    rewriteArchive(good, {
      replace: new Map([[name, Buffer.from(content)]]),
      first: { name: 'mimetype', content: Buffer.from('application/epub+zip') },
    });
  return [
    createArchive([{ name: `${canary('entry name')}.xml`, content: Buffer.from(canary('book text')) }]),
    createArchive([{ name: `../${canary('entry name')}`, content: Buffer.from('x') }]),
    withPart('OEBPS/book.opf', `<package><x a="${canary('book text')}">&${canary('book text')};</x></package>`),
    withPart('OEBPS/one.xhtml', `<!DOCTYPE html [<!ENTITY x "${canary('book text')}">]><html/>`),
    withPart('META-INF/container.xml', `<${canary('book text')}><rootfile full-path="${canary('entry name')}"/>`),
    Buffer.from(`%PDF-1.7 ${canary('book text')}`),
    Buffer.concat([Buffer.from(canary('book text')), Buffer.alloc(64)]),
  ];
}

function sendRaw(app: TestApp, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(app.rootUrl).port), '127.0.0.1', () => socket.end(bytes));
    socket
      .resume()
      .on('error', () => {})
      .on('close', () => resolve());
  });
}
