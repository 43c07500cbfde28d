import { sql } from 'kysely';
import type { Columns } from '../../platform/database-types.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { creditOf, type Work } from '../price.ts';
import type { Task } from '../task.ts';
import { type Attempt, Fenced } from './attempt.ts';
import type { RecordPage, SavedRecord } from './book-host.ts';
import type { SentCharacters } from './sent-characters.ts';

/** Reading and analysing come before, writing and storing after: the share of progress that translating fills. */
const translatingFrom = 0.05;
const translatingTo = 0.97;
/** About a megabyte of segments: one statement, one message. */
const recordsPerPage = 400;

/**
 * The checkpoint of a task in the database: each record is committed at once, together with the progress it stands for,
 * and only while this worker holds the task.
 */
export interface TaskCheckpoint {
  load(after: string | undefined): Promise<RecordPage>;
  /** @throws Fenced */
  save(record: SavedRecord): Promise<void>;
}

export interface CheckpointOptions {
  /** Characters of a segment that a preview has paid for: stored with it, because this run may not live to the end. */
  paidBefore: (key: string) => number;
  /** In the transaction that saves a segment. */
  afterSegment: (trx: Trx, key: string) => Promise<void>;
}

export function taskCheckpoint(
  db: Db,
  task: Task,
  attempt: Attempt,
  sent: SentCharacters,
  { paidBefore, afterSegment }: CheckpointOptions = { paidBefore: () => 0, afterSegment: async () => {} },
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
      doneCharacters += rows.reduce((sum, row) => sum + (row.kind === 'segment' ? row.characters : 0), 0);
      const last = rows.length < recordsPerPage ? undefined : rows.at(-1);
      return {
        records: rows.map((row) => row.record),
        next: last === undefined ? undefined : JSON.stringify([last.kind, last.key]),
      };
    },
    async save({ kind, key, characters, json }) {
      const paid = kind === 'segment' ? Math.min(characters, paidBefore(key)) : 0;
      if (kind === 'segment') doneCharacters += characters;
      const share = Math.min(1, doneCharacters / task.charCount);
      const progress = kind === 'segment' ? translatingFrom + (translatingTo - translatingFrom) * share : 0;
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
          select ${task.id}, account_id, ${kind}, ${key}, ${characters}, ${paid}, ${json}::json from held
          on conflict do nothing
        )
        select true as held from held`.execute(on);
        if (rows.length === 0) throw new Fenced(task.id);
      };
      try {
        if (kind !== 'segment') return await save(db);
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

/** What the account's earlier tasks have of the segments of a task. */
export interface ReusableSegments {
  /** Outcomes of accepted segments by key, as JSON. */
  find(keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Characters of a segment that a preview has paid for; known once the segment was looked for. */
  paidBefore(key: string): number;
}

export function reusableSegments(db: Db, task: Task): ReusableSegments {
  const paid = new Map<string, number>();
  return {
    paidBefore: (key) => paid.get(key) ?? 0,
    async find(keys) {
      const { rows } = await sql<EarlierSegmentRow>`
        select distinct on (c.key) c.key, (c.record -> 'outcome')::text as outcome, c.characters, t.status, t.credits_charged, t.char_limit
        from checkpoints c join tasks t on t.id = c.task_id
        where c.account_id = ${task.accountId} and c.kind = 'segment' and c.key = any(${keys})
          and c.task_id <> ${task.id} and t.sandbox = ${task.sandbox}
        order by c.key, (t.char_limit is not null and t.status = 'completed') desc, c.characters desc, c.created_at`.execute(
        db,
      );
      for (const row of rows) {
        const credit = creditOf(task, {
          completed: row.status === 'completed',
          creditsCharged: row.credits_charged ?? 0,
          charLimit: row.char_limit ?? undefined,
          characters: row.characters,
        });
        if (credit > 0) paid.set(row.key, credit);
      }
      return new Map(rows.map((row) => [row.key, row.outcome]));
    },
  };
}

type EarlierSegmentRow = Columns<'checkpoints', 'key' | 'characters'> &
  Columns<'tasks', 'status' | 'credits_charged' | 'char_limit'> & { outcome: string };

/** What was done for a task so far, for its price. */
export async function readWork(trx: Trx, taskId: string): Promise<Work> {
  const { rows } = await sql<Work>`
    select coalesce(sum(characters) filter (where kind = 'segment'), 0)::bigint as segments,
      coalesce(sum(paid_characters), 0)::bigint as "paidBefore",
      coalesce(sum(characters) filter (where kind = 'extraction'), 0)::bigint as extractions
    from checkpoints where task_id = ${taskId}`.execute(trx);
  return rows[0] as Work;
}
