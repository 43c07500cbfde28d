import type { Columns, Row } from '../platform/database-types.ts';
import { change, readRows, readValue } from '../platform/from-row.ts';
import type { Db, Trx } from '../platform/postgres.ts';
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

/** With the progress that it stands for, and only while this worker holds the task. @throws Fenced */
export async function saveRecord(
  trx: Trx,
  attempt: Attempt,
  record: SavedRecord | undefined,
  { progress = 0, sentCharacters = 0 }: { progress?: number; sentCharacters?: number },
): Promise<void> {
  const accountId = await readValue<Row<'tasks'>['account_id']>(trx)`
    update tasks set progress = greatest(progress, ${progress}), lost_attempts = 0, sent_characters = sent_characters + ${sentCharacters}
    where id = ${attempt.taskId} and attempt = ${attempt.number} and status = 'pending'
    returning account_id`;
  if (accountId === undefined) throw new Fenced(attempt.taskId);
  if (record === undefined) return;
  const { kind, key, characters, paidCharacters, json } = record;
  await change(trx)`
    insert into checkpoints (task_id, account_id, kind, key, characters, paid_characters, record)
    values (${attempt.taskId}, ${accountId}, ${kind}, ${key}, ${characters}, ${paidCharacters}, ${json}::json)
    on conflict do nothing`;
}
