import { sql } from 'kysely';
import type { Db } from '../../platform/postgres.ts';

export interface ReaderLink {
  id: string;
  taskId: string;
  keyId: string;
  editable: boolean;
  expiresAt: Date;
  revokedAt: Date | undefined;
}

export async function insertReaderLink(db: Db, link: ReaderLink): Promise<void> {
  await sql`
    insert into reader_links (id, task_id, key_id, editable, expires_at)
    values (${link.id}, ${link.taskId}, ${link.keyId}, ${link.editable}, ${link.expiresAt})`.execute(db);
}

export async function findReaderLink(db: Db, id: string): Promise<ReaderLink | undefined> {
  const { rows } = await sql<{
    id: string;
    task_id: string;
    key_id: string;
    editable: boolean;
    expires_at: Date;
    revoked_at: Date | null;
  }>`select id, task_id, key_id, editable, expires_at, revoked_at from reader_links where id = ${id}`.execute(db);
  const row = rows[0];
  if (!row) return undefined;
  return {
    id: row.id,
    taskId: row.task_id,
    keyId: row.key_id,
    editable: row.editable,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at ?? undefined,
  };
}

/** All links of a task, or one of them. Returns how many were live until now. */
export async function revokeReaderLinks(db: Db, taskId: string, linkId?: string): Promise<number> {
  const { numAffectedRows } = await sql`
    update reader_links set revoked_at = now()
    where task_id = ${taskId} and revoked_at is null and (${linkId ?? null}::text is null or id = ${linkId ?? null})`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0n);
}
