/**
 * The server secret and what is derived from it. Without TOLEDO_SECRET it is generated once into the data directory.
 * Processes on several machines must share one, so its fingerprint is kept in the database and compared at start.
 */
import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Secret } from '../secret.ts';
import { readValue } from './from-row.ts';
import type { Db } from './postgres.ts';

export type Secrets = ReturnType<typeof deriveSecrets>;

export const secretFileName = 'secret';
const newFile = { flag: 'wx', mode: 0o600, flush: true };

export async function loadSecrets(configured: Secret | undefined, dataDir: string): Promise<Secrets> {
  return deriveSecrets(configured?.reveal() ?? (await secretFile(dataDir)));
}

export function deriveSecrets(secret: string) {
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secret, 'toledo', purpose, 32));
  return {
    /** For hashing API keys. */
    keyPepper: derive('api-key-pepper'),
    /** For signing download URLs. */
    urlSigningKey: derive('download-url-signing'),
    /** For encrypting the secrets of webhooks. */
    webhookKey: derive('webhook-secrets'),
    fingerprint: createHash('sha256').update(derive('fingerprint')).digest('hex').slice(0, 16),
  };
}

/** The secret that was generated into a data directory; undefined when there is none. Makes none. */
export async function readSecretFile(dataDir: string): Promise<string | undefined> {
  const path = join(dataDir, secretFileName);
  try {
    const secret = (await readFile(path, 'utf8')).trim();
    if (secret.length < 32) throw new Error(`${path} does not hold a secret of at least 32 characters.`);
    return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Stores a secret where the next start finds it. @throws when there already is one */
export async function writeSecretFile(dataDir: string, secret: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  await writeFile(join(dataDir, secretFileName), secret, newFile);
}

/** @throws when the keys in this database were hashed with another secret: no partner could authenticate */
export async function requireSameSecret(db: Db, { fingerprint }: Secrets): Promise<void> {
  const known = await readValue<string>(db)`
    insert into installation as present (name, value) values ('secret_fingerprint', ${fingerprint})
    on conflict (name) do update set value = present.value returning value`;
  if (known !== fingerprint) {
    throw new Error(
      'The secret of this process is not the one this database was set up with, so no API key would be recognised. Set TOLEDO_SECRET to the same value on every machine, or use the data directory of the first start.',
    );
  }
}

/** Created exclusively and atomically, so that processes starting at once agree on one secret. */
async function secretFile(dataDir: string): Promise<string> {
  const path = join(dataDir, secretFileName);
  await mkdir(dataDir, { recursive: true });
  const existing = await readSecretFile(dataDir);
  if (existing !== undefined) return existing;
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, randomBytes(32).toString('base64url'), newFile);
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return (await readSecretFile(dataDir)) ?? '';
}
