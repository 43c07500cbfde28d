/** Sessions of the console and links that sign in once, by the hash of what the browser holds. */
import { createHash, randomBytes } from 'node:crypto';
import type { Columns } from '../platform/database-types.ts';
import { change, type FromRow, readRow } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';
import { seal, unseal } from '../platform/sealed-text.ts';

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
  await change(db)`delete from console_sessions where expires_at < now()`;
  await change(db)`
    insert into console_sessions (hash, kind, expires_at)
    values (${hashOf(secret)}, ${kind}, now() + make_interval(mins => ${minutes}))`;
  return secret;
}

/** Undefined when there is no such session. */
export async function findSession(db: Db, id: string): Promise<{ keptNotice: string | undefined } | undefined> {
  const session = await readRow<FromRow<Columns<'console_sessions', 'kept_notice'>>>(db)`
    select kept_notice from console_sessions where hash = ${hashOf(id)} and kind = 'session' and expires_at > now()`;
  return session && { keptNotice: session.keptNotice && unseal(session.keptNotice, id) };
}

/** Something that is shown until it is dismissed, such as a new key. Only the holder of the session can read it. */
export async function keepNotice(db: Db, id: string, notice: string | undefined): Promise<void> {
  const sealed = notice === undefined ? null : seal(notice, id);
  await change(db)`update console_sessions set kept_notice = ${sealed} where hash = ${hashOf(id)}`;
}

/** True once per code. */
export async function useSignInCode(db: Db, code: string): Promise<boolean> {
  const used = await change(db)`
    delete from console_sessions where hash = ${hashOf(code)} and kind = 'link' and expires_at > now()`;
  return used === 1;
}

export async function closeSession(db: Db, id: string): Promise<void> {
  await change(db)`delete from console_sessions where hash = ${hashOf(id)}`;
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
