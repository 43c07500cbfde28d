import { sql } from 'kysely';
import type { Columns } from '../../platform/database-types.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import type { Work } from '../price.ts';
import type { Task } from '../task.ts';
import { type Attempt, Fenced } from './attempt.ts';
import type { RecordPage, SavedRecord } from './book-host.ts';
import { translatingFrom, translatingTo } from './progress-shares.ts';
import type { SentCharacters } from './sent-characters.ts';

/** About a megabyte of segments: one statement, one message. */
const recordsPerPage = 400;

/**
 * The checkpoint of a task in the database: each record is committed at once, together with the progress it stands for,
 * and only while this worker holds the task.
 */
export interface TaskCheckpoint {
  load(after: string | undefined): Promise<RecordPage>;
  /** In a transaction of the caller's where one is given. @throws Fenced */
  save(record: SavedRecord, within?: Trx): Promise<void>;
}

/** In the transaction that saves a segment. */
export type AfterSegment = (trx: Trx, key: string) => Promise<void>;

export function taskCheckpoint(
  db: Db,
  task: Task,
  attempt: Attempt,
  sent: SentCharacters,
  afterSegment: AfterSegment = async () => {},
): TaskCheckpoint {
  let doneCharacters = 0;
  return {
    async load(after) {
      const [kind, key] = after === undefined ? ['', ''] : (JSON.parse(after) as [string, string]);
      const { rows } = await sql<Columns<'checkpoints', 'kind' | 'key' | 'characters'> & { record: string }>`
        select kind, key, record::text as record, characters from checkpoints
        where task_id = ${task.id} and (kind, key) > (${kind}, ${key})
        order by kind, key limit ${recordsPerPage}`.execute(db);
      if (after === undefined) doneCharacters = 0;
      doneCharacters += rows.reduce((sum, row) => sum + (isDone(row.kind) ? row.characters : 0), 0);
      const last = rows.length < recordsPerPage ? undefined : rows.at(-1);
      return {
        records: rows.map((row) => row.record),
        next: last === undefined ? undefined : JSON.stringify([last.kind, last.key]),
      };
    },
    async save({ kind, key, characters, paidCharacters, json }, within) {
      if (isDone(kind)) doneCharacters += characters;
      const share = Math.min(1, doneCharacters / task.charCount);
      const progress = isDone(kind) ? translatingFrom + (translatingTo - translatingFrom) * share : 0;
      const sentCharacters = sent.take();
      const save = async (on: Db): Promise<void> => {
        const { rows } = await sql<{ held: boolean }>`
        with held as (
          update tasks set progress = greatest(progress, ${progress}), lost_attempts = 0,
            sent_characters = sent_characters + ${sentCharacters}
          where id = ${task.id} and attempt = ${attempt.number} and status = 'pending'
          returning account_id
        ), saved as (
          insert into checkpoints (task_id, account_id, kind, key, characters, paid_characters, record)
          select ${task.id}, account_id, ${kind}, ${key}, ${characters}, ${paidCharacters}, ${json}::json from held
          on conflict do nothing
        )
        select true as held from held`.execute(on);
        if (rows.length === 0) throw new Fenced(task.id);
      };
      try {
        if (kind !== 'segment') return await save(within ?? db);
        await db.transaction().execute(async (trx) => {
          await save(trx);
          await afterSegment(trx, key);
        });
      } catch (error) {
        sent.putBack(sentCharacters);
        throw error;
      }
    },
  };
}

/** Text that is ready, translated or remembered. */
function isDone(kind: string): boolean {
  return kind === 'segment' || kind === 'recall';
}

/** What was done for a task so far, for its price. */
export async function readWork(trx: Trx, taskId: string): Promise<Work> {
  const { rows } = await sql<Work>`
    select coalesce(sum(characters) filter (where kind = 'segment'), 0)::bigint as segments,
      coalesce(sum(characters) filter (where kind = 'recall'), 0)::bigint as recalled,
      coalesce(sum(paid_characters), 0)::bigint as "paidBefore",
      coalesce(sum(characters) filter (where kind = 'extraction'), 0)::bigint as extractions
    from checkpoints where task_id = ${taskId}`.execute(trx);
  return rows[0] as Work;
}
