/** Which stored objects belong to which task, and which are loose: written, or about to be, without a row that speaks of them. */
import { sql } from 'kysely';
import type { Row } from '../platform/database-types.ts';
import { change, readValues } from '../platform/from-row.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import { type Attempt, Fenced } from './attempt.ts';

/** Before a source is written: if its task never comes to be, the sweeper finds it here. */
export async function noteSource(db: Db, taskId: string, key: string): Promise<void> {
  await change(db)`insert into loose_objects (key, task_id) values (${key}, ${taskId}) on conflict do nothing`;
}

/**
 * Before outputs are written, and only while this worker holds the task. What is finished of a cancelled task is written under
 * the number after its last attempt. @throws Fenced
 */
export async function noteOutputs(db: Db, attempt: Attempt, keys: readonly string[]): Promise<void> {
  const { rows } = await sql`
    with held as (
      select id from tasks where id = ${attempt.taskId} and (
        (attempt = ${attempt.number} and status = 'pending')
        or (attempt + 1 = ${attempt.number} and status = 'cancelled' and purged_at is null and result ->> 'delivery' = 'pending')
      ) for share
    ), noted as (
      insert into loose_objects (key, task_id, attempt)
      select key, held.id, ${attempt.number} from held, unnest(${keys}::text[]) as key
      on conflict do nothing
    )
    select from held`.execute(db);
  if (rows.length === 0) throw new Fenced(attempt.taskId);
}

/** A row speaks of them now, or they are gone. */
export async function forgetObjects(db: Db, keys: readonly string[]): Promise<void> {
  await change(db)`delete from loose_objects where key = any(${keys})`;
}

export async function looseOutputs(db: Db, { taskId, number }: Attempt): Promise<string[]> {
  return await readValues<Row<'loose_objects'>['key']>(db)`
    select key from loose_objects where task_id = ${taskId} and attempt = ${number}`;
}

/** Everything in storage that may hold text of a task. */
export async function objectsOf(db: Db, taskId: string): Promise<string[]> {
  return await readValues<string>(db)`
    select source_key as key from tasks where id = ${taskId} and source_key not like 'texts/%'
    union select storage_key from task_outputs where task_id = ${taskId}
    union select key from loose_objects where task_id = ${taskId}`;
}

/** A worker that was writing when its task was purged may still finish: what it writes is removed soon. */
export async function hurryLooseObjects(trx: Trx, taskId: string): Promise<void> {
  await change(trx)`
    update loose_objects set due_at = least(due_at, now() + interval '1 minute') where task_id = ${taskId}`;
}

/** Loose objects whose writer has had its time, without those of an attempt that is still running. */
export async function dueObjects(db: Db, now: Date, limit: number): Promise<string[]> {
  return await readValues<Row<'loose_objects'>['key']>(db)`
    select o.key from loose_objects o
    where o.due_at < ${now} and not exists (
      select from tasks t where t.id = o.task_id and (t.source_key = o.key or (t.status = 'pending' and t.attempt = o.attempt)))
    order by o.due_at limit ${limit}`;
}

export interface OwnedFile {
  key: string;
  taskId: string;
  sha256: string;
  mediaType: string | undefined;
}

/** Every file that a row speaks of; a small text is a row itself. The same statement serves a client in the middle of a transaction of its own. */
export const ownedFilesSql = `
  select source_key as key, id as "taskId", source_sha256 as sha256, null as "mediaType" from tasks where source_key not like 'texts/%'
  union all
  select storage_key, task_id, sha256, media_type from task_outputs
  order by 1`;
