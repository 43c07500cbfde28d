/** What `doctor` and the console's system page check. */
import { access, constants, mkdir, readFile, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineCatalog } from '../engines/catalog.ts';
import { serverVersion } from '../platform/migrate.ts';
import type { Db } from '../platform/postgres.ts';
import { describeEngines } from './engine-listing.ts';

export interface Finding {
  check: string;
  ok: boolean;
  finding: string;
}

const minimumFreeBytes = 1024 ** 3;

/** A check that throws is a finding, not a failure. */
export async function look(check: string, find: () => Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, finding: await find() };
  } catch (error) {
    return { check, ok: false, finding: (error as Error).message };
  }
}

export function nodeInWords(): string {
  return `${process.version} on ${process.platform}-${process.arch}`;
}

/** @throws Error when it cannot be written or is nearly full */
export async function checkDataDirectory(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  await access(dataDir, constants.R_OK | constants.W_OK);
  const { bavail, bsize } = await statfs(dataDir);
  const freeBytes = bavail * bsize;
  const free = `${dataDir}, ${(freeBytes / 1024 ** 3).toFixed(1)} GiB free`;
  if (freeBytes < minimumFreeBytes) throw new Error(`${free}: less than 1 GiB`);
  return free;
}

/** @throws Error when one of them cannot work on this machine */
export function checkCatalog(catalog: Pick<EngineCatalog, 'engines'>): string {
  const words = describeEngines(catalog).join('; ');
  if (catalog.engines().some(({ problem }) => problem !== undefined)) throw new Error(words);
  return words;
}

/** The checks of a running service. */
export async function checkSystem(deps: {
  db: Db;
  dataDir: string;
  databaseKind: 'external' | 'embedded';
  engines: Pick<EngineCatalog, 'engines'>;
}): Promise<Finding[]> {
  const { db, dataDir, databaseKind, engines } = deps;
  return [
    await look('node', async () => nodeInWords()),
    await look('data directory', () => checkDataDirectory(dataDir)),
    await look('database', async () => `PostgreSQL ${await serverVersion(db)} (${databaseKind})`),
    await look('engines', async () => checkCatalog(engines)),
  ];
}

const lastBackupFile = 'last-backup.json';

/** Beside the data and not in the database: a backup and the database it was taken from stay the same. */
export async function noteBackup(dataDir: string, path: string): Promise<void> {
  await writeFile(join(dataDir, lastBackupFile), JSON.stringify({ at: new Date().toISOString(), path }));
}

/** The last backup that the command took on this machine; undefined when it knows of none. */
export async function lastBackup(dataDir: string): Promise<{ at: Date; path: string } | undefined> {
  try {
    const { at, path } = JSON.parse(await readFile(join(dataDir, lastBackupFile), 'utf8')) as Record<string, unknown>;
    const time = new Date(String(at));
    return Number.isNaN(time.getTime()) ? undefined : { at: time, path: String(path) };
  } catch {
    return undefined;
  }
}
