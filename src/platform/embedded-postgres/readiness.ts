import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { connectionUrl } from './folders.ts';

/** Crash recovery replays at most max_wal_size (1 GB): seconds on an SSD, up to this on a slow disk. */
const readyTimeoutMs = 120_000;

/** invalid_catalog_name: the server is up and the database is not made yet. */
const noSuchDatabase = '3D000';

/** Ready means that a statement was answered, not that a log line appeared or a socket exists. */
export async function waitUntilReady(socketDir: string, gone: Promise<unknown>): Promise<'ready' | 'gone' | 'timeout'> {
  let isGone = false;
  const noted = gone.then(() => {
    isGone = true;
  });
  const deadline = Date.now() + readyTimeoutMs;
  for (let pauseMs = 20; !isGone; pauseMs = Math.min(pauseMs * 1.3, 250)) {
    if (await answers(socketDir, { createDatabase: true })) return 'ready';
    if (Date.now() > deadline) return 'timeout';
    await Promise.race([delay(pauseMs), noted]);
  }
  return 'gone';
}

/** Whether the database answers `select 1` now. */
export async function answers(socketDir: string, options: { createDatabase?: boolean } = {}): Promise<boolean> {
  try {
    await query(connectionUrl(socketDir), 'select 1');
    return true;
  } catch (error) {
    if (!options.createDatabase || (error as { code?: string }).code !== noSuchDatabase) return false;
  }
  try {
    await query(connectionUrl(socketDir, 'postgres'), 'create database toledo');
    return true;
  } catch {
    return false;
  }
}

async function query(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 30_000 });
  // A connection that breaks after its query must not raise an uncaught error event.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(statement);
  } finally {
    await client.end().catch(() => {});
  }
}
