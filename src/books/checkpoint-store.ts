import { sql } from 'kysely';
import type { Columns } from '../platform/database-types.ts';
import { readRows } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';
import { type Attempt, Fenced } from '../tasks/attempt.ts';
import type { RecordPage, SavedRecord } from './book-host.ts';

/** About a megabyte of segments: one statement, one message. */
const recordsPerPage = 400;

/** One page of a task's records, and how many characters of ready text they stand for. */
export async function loadRecords(
  db: Db,
  taskId: string,
  after: string | undefined,
): Promise<RecordPage & { readyCharacters: number }> {
  const [kind, key] = after === undefined ? ['', ''] : (JSON.parse(after) as [string, string]);
  const rows = await readRows<Columns<'checkpoints', 'kind' | 'key' | 'characters'> & { record: string }>(db)`
    select kind, key, record::text as record, characters from checkpoints
    where task_id = ${taskId} and (kind, key) > (${kind}, ${key})
    order by kind, key limit ${recordsPerPage}`;
  const last = rows.length < recordsPerPage ? undefined : rows.at(-1);
  return {
    records: rows.map((row) => row.record),
    next: last === undefined ? undefined : JSON.stringify([last.kind, last.key]),
    readyCharacters: readyCharactersOf(rows),
  };
}

/** Text that is ready, translated or remembered. */
export function readyCharactersOf(records: readonly Pick<SavedRecord, 'kind' | 'characters'>[]): number {
  return records.reduce(
    (sum, { kind, characters }) => sum + (kind === 'segment' || kind === 'recall' ? characters : 0),
    0,
  );
}

/**
 * With the progress that the records stand for, and only while this worker holds the task. The records go as one JSON array and
 * not as an array of texts, in which every letter would be looked at here. @throws Fenced
 */
export async function saveRecords(
  db: Db,
  attempt: Attempt,
  records: readonly SavedRecord[],
  { progress = 0, sentCharacters = 0 }: { progress?: number; sentCharacters?: number },
): Promise<void> {
  const { rows } = await sql<{ held: boolean }>`
    with held as (
      update tasks set progress = greatest(progress, ${progress}), lost_attempts = 0,
        sent_characters = sent_characters + ${sentCharacters}
      where id = ${attempt.taskId} and attempt = ${attempt.number} and status = 'pending'
      returning id, account_id
    ), saved as (
      insert into checkpoints (task_id, account_id, kind, key, characters, paid_characters, record)
      select held.id, held.account_id, r.kind, r.key, r.characters, r.paid_characters, e.record
      from held, unnest(${records.map((record) => record.kind)}::text[], ${records.map((record) => record.key)}::text[],
        ${records.map((record) => record.characters)}::bigint[], ${records.map((record) => record.paidCharacters)}::bigint[])
        with ordinality as r (kind, key, characters, paid_characters, place)
        join json_array_elements(${`[${records.map((record) => record.json).join(',')}]`}::json)
        with ordinality as e (record, place) using (place)
      on conflict do nothing
    )
    select true as held from held`.execute(db);
  if (rows.length === 0) throw new Fenced(attempt.taskId);
}
