/** Which stored objects belong to which task. */
import { sql } from 'kysely';
import type { Db } from '../platform/postgres.ts';

/** A source belongs to its task; an output only when it is registered or its task is still running. */
export async function isOwned(db: Db, key: string): Promise<boolean> {
  const taskId = key.split('/')[1] ?? '';
  const { rows } = await sql<{ owned: boolean }>`
    select exists (
      select from tasks t where t.id = ${taskId} and (t.source_key = ${key} or t.status = 'pending')
    ) or exists (select from task_outputs o where o.task_id = ${taskId} and o.storage_key = ${key}) as owned`.execute(
    db,
  );
  return rows[0]?.owned === true;
}

export interface OwnedFile {
  key: string;
  taskId: string;
  sha256: string;
  mediaType: string | undefined;
}

/** Every file that a row speaks of. The same statement serves a client in the middle of a transaction of its own. */
export const ownedFilesSql = `
  select source_key as key, id as "taskId", source_sha256 as sha256, null as "mediaType" from tasks where source_key is not null
  union all
  select storage_key, task_id, sha256, media_type from task_outputs
  order by 1`;
