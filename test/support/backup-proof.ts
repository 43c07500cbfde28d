/**
 * Partners create, poll, cancel and delete while backups are taken. Each backup is restored into an empty folder, started
 * there, and compared with the answers that partners had received before it began.
 */
import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findRunningEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { FileStorage } from '../../src/platform/storage/file-storage.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';
import { assertBooksBalance } from './audit.ts';
import { story } from './texts.ts';
import { startServe, toledoProcess } from './toledo-process.ts';
import { eventually } from './workers.ts';

export interface Acknowledged {
  taskId: string;
  idempotencyKey: string;
  request: string;
  /** The answer, as it came. */
  body: string;
}

export interface LoadedService {
  rootUrl: string;
  key: string;
  /** For commands that work on it. */
  env: Record<string, string>;
}

export interface LoadOptions {
  partners: number;
  /** Sizes of the books, in turn. */
  characters: readonly number[];
  /** Every n-th book goes to an engine that takes 3 s per call, so that a backup catches it half done. */
  slowEvery: number;
  pauseMs: number;
}

export class Load {
  readonly acknowledged: Acknowledged[] = [];
  readonly deleted = new Set<string>();
  readonly #service: LoadedService;
  readonly #partners: Promise<void>[];
  #stopping = false;

  constructor(service: LoadedService, options: LoadOptions) {
    this.#service = service;
    this.#partners = Array.from({ length: options.partners }, (_, partner) => this.#create(partner, options));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#partners);
  }

  async #create(partner: number, options: LoadOptions): Promise<void> {
    for (let n = 0; !this.#stopping; n++) {
      const characters = options.characters[n % options.characters.length] as number;
      const request = JSON.stringify({
        action: 'translation',
        target_lang: n % options.slowEvery === options.slowEvery - 1 ? 'de-x-slow' : 'de',
        text: story(characters, partner * 10_000 + n),
      });
      const idempotencyKey = `partner-${partner}-${n}`;
      const { status, body } = await send(this.#service, request, idempotencyKey);
      assert.equal(status, 201, body);
      const { task_id } = JSON.parse(body).data;
      this.acknowledged.push({ taskId: task_id, idempotencyKey, request, body });
      // Every seventh task is cancelled or deleted, whatever its state.
      const unwanted = n % 7 === 6 ? this.acknowledged[this.acknowledged.length >> 1] : undefined;
      if (unwanted && !this.deleted.has(unwanted.taskId)) {
        this.deleted.add(unwanted.taskId);
        const answer = await call(this.#service, 'DELETE', `/tasks/${unwanted.taskId}`);
        assert.equal(answer.status, 200, await answer.text());
      }
      await sleep(options.pauseMs);
    }
  }
}

export interface RestoredFigures {
  restoreMs: number;
  tasks: number;
  unfinished: number;
  outputs: number;
  deletedDuringBackup: number;
}

/**
 * Restores into an empty folder, starts there and compares.
 * @param before what had been acknowledged when the backup began
 * @param original where the outputs of the same tasks can be read, once they have ended there too
 */
export async function proveRestored(
  backup: string,
  options: {
    dataDir: string;
    key: string;
    before: readonly Acknowledged[];
    original: { databaseUrl: string; storage: Storage };
  },
): Promise<RestoredFigures> {
  const { dataDir, key, before, original } = options;
  const env = { TOLEDO_DATA_DIR: dataDir, TOLEDO_PORT: '0', TOLEDO_LOG_LEVEL: 'error' };
  const started = performance.now();
  const restored = await toledoProcess(['restore', backup, '--json'], env);
  const restoreMs = Math.round(performance.now() - started);
  assert.equal(restored.code, 0, restored.stderr);
  assert.equal(restored.stderr, '');
  const summary = JSON.parse(restored.stdout);
  const serve = await startServe(env);
  const client = new pg.Client({ connectionString: (await findRunningEmbeddedPostgres(dataDir))?.url });
  await client.connect();
  try {
    const service = { rootUrl: serve.rootUrl, key, env };
    for (const { idempotencyKey, request, body } of before) {
      const again = await send(service, request, idempotencyKey);
      assert.deepEqual([again.replayed, again.body], ['true', body], `replay of ${idempotencyKey}`);
    }
    const unfinished = async () =>
      (await client.query("select count(*)::int as n from tasks where status = 'pending'")).rows[0].n;
    await eventually(async () => (await unfinished()) === 0, 'the end of every unfinished task');
    const outputs = await compareOutputs(client, await FileStorage.open(join(dataDir, 'files')), original);
    const { rows } = await client.query(`
      select (select count(*)::int from tasks) as tasks, (select sum(reserved)::int from credit_balances) as reserved,
        (select count(*)::int from tasks where status = 'failed') as failed`);
    assert.deepEqual([rows[0].reserved, rows[0].failed], [0, 0], 'no hold stays, and nothing failed');
    assert.equal(rows[0].tasks, summary.tasks.total, 'a replay makes no task');
    await assertBooksBalance((await findRunningEmbeddedPostgres(dataDir))?.url as string);
    return {
      restoreMs,
      tasks: summary.tasks.total,
      unfinished: summary.tasks.unfinished,
      outputs,
      deletedDuringBackup: summary.deleted_tasks.length,
    };
  } finally {
    await client.end();
    serve.child.kill('SIGTERM');
    await serve.exited;
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Compares every output with its checksum, and every book with the one that the undisturbed installation made. */
async function compareOutputs(
  client: pg.Client,
  storage: Storage,
  original: { databaseUrl: string; storage: Storage },
): Promise<number> {
  const { rows } = await client.query(
    `select o.task_id, o.file_id, o.storage_key, o.sha256 from task_outputs o join tasks t on t.id = o.task_id where t.purged_at is null`,
  );
  for (const row of rows) assert.equal(await sha256Of(storage, row.storage_key), row.sha256, row.storage_key);
  const first = new pg.Client({ connectionString: original.databaseUrl });
  await first.connect();
  try {
    const { rows: books } = await first.query(
      "select task_id, sha256 from task_outputs where file_id in ('translated', 'bilingual')",
    );
    const expected = new Map(books.map((book) => [book.task_id, new Set<string>()]));
    for (const book of books) expected.get(book.task_id)?.add(book.sha256);
    for (const row of rows) {
      if (row.file_id !== 'translated' && row.file_id !== 'bilingual') continue;
      const known = expected.get(row.task_id);
      if (known) assert.ok(known.has(row.sha256), `${row.storage_key} differs from the undisturbed run`);
    }
  } finally {
    await first.end();
  }
  return rows.length;
}

async function sha256Of(storage: Storage, key: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of (await storage.get(key)).body) hash.update(chunk);
  return hash.digest('hex');
}

async function send(service: LoadedService, request: string, idempotencyKey: string) {
  const answer = await call(service, 'POST', '/tasks', request, { 'idempotency-key': idempotencyKey });
  return {
    status: answer.status,
    replayed: answer.headers.get('idempotent-replayed'),
    body: await answer.text(),
  };
}

async function call(
  { rootUrl, key }: LoadedService,
  method: string,
  path: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await fetch(`${rootUrl}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
}
