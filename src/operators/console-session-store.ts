/** Sessions of the console and links that sign in once, by the hash of what the browser holds. */
import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../platform/postgres.ts';

export const sessionHours = 12;
export const linkMinutes = 60;

/** A new random id; the only copy is the returned one. */
export async function openSession(db: Db): Promise<string> {
  return await insertSecret(db, 'session', sessionHours * 60);
}

/** What signs in once, within the hour. */
export async function createSignInCode(db: Db): Promise<string> {
  return await insertSecret(db, 'link', linkMinutes);
}

async function insertSecret(db: Db, kind: 'session' | 'link', minutes: number): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  await sql`delete from console_sessions where expires_at < now()`.execute(db);
  await sql`
    insert into console_sessions (hash, kind, expires_at)
    values (${hashOf(secret)}, ${kind}, now() + make_interval(mins => ${minutes}))`.execute(db);
  return secret;
}

export async function isSession(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from console_sessions where hash = ${hashOf(id)} and kind = 'session' and expires_at > now()`.execute(db);
  return rows.length > 0;
}

/** True once per code. */
export async function useSignInCode(db: Db, code: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from console_sessions where hash = ${hashOf(code)} and kind = 'link' and expires_at > now()`.execute(db);
  return numAffectedRows === 1n;
}

export async function closeSession(db: Db, id: string): Promise<void> {
  await sql`delete from console_sessions where hash = ${hashOf(id)}`.execute(db);
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
