/** Sessions of the partner's pages. A session keeps the API key that it was opened with, sealed by the id in the browser. */
import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { readValue } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';
import { seal, unseal } from '../platform/sealed-text.ts';

export const sessionHours = 12;
/** Of one key at once; the oldest ends. A program that signs in again and again must not fill the table. */
const sessionsPerKey = 10;

/** A new random id; the only copy is the returned one. */
export async function openAccountSession(db: Db, key: string, keyPrefix: string): Promise<string> {
  const id = randomBytes(32).toString('base64url');
  await sql`
    delete from account_sessions where expires_at < now() or hash in (
      select hash from account_sessions where key_prefix = ${keyPrefix} order by expires_at desc offset ${sessionsPerKey - 1}
    )`.execute(db);
  await sql`
    insert into account_sessions (hash, sealed_key, key_prefix, expires_at)
    values (${hashOf(id)}, ${seal(key, id)}, ${keyPrefix}, now() + make_interval(hours => ${sessionHours}))`.execute(
    db,
  );
  return id;
}

/** The key that the session was opened with. */
export async function keyOfSession(db: Db, id: string): Promise<string | undefined> {
  const sealed = await readValue<Buffer>(db)`
    select sealed_key from account_sessions where hash = ${hashOf(id)} and expires_at > now()`;
  return sealed && unseal(sealed, id);
}

export async function closeAccountSession(db: Db, id: string): Promise<void> {
  await sql`delete from account_sessions where hash = ${hashOf(id)}`.execute(db);
}

function hashOf(id: string): Buffer {
  return createHash('sha256').update(id).digest();
}
