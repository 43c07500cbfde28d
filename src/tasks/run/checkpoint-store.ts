import { sql } from 'kysely';
import type { Columns } from '../../platform/database-types.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import type { Checkpoint, CheckpointRecord } from '../../translation/checkpoint.ts';
import type { SegmentOutcome } from '../../translation/translate-segment.ts';
import { creditOf, type Work } from '../price.ts';
import type { Task } from '../task.ts';
import { type Attempt, Fenced } from './attempt-store.ts';

/** Reading and analysing come before, writing and storing after: the share of progress that translating fills. */
const translatingFrom = 0.05;
const translatingTo = 0.97;

export interface CheckpointOptions {
  onSegment?: () => void;
  /** Characters of a segment that a preview has paid for: stored with it, because this run may not live to the end. */
  paidBefore?: (key: string) => number;
}

/**
 * The checkpoint of a task in the database: each record is committed at once, together with the progress it stands for,
 * and only while this worker holds the task.
 */
export function databaseCheckpoint(
  db: Db,
  task: Task,
  attempt: Attempt,
  { onSegment = () => {}, paidBefore = () => 0 }: CheckpointOptions = {},
): Checkpoint {
  let doneCharacters = 0;
  return {
    async load() {
      const { rows } = await sql<Columns<'checkpoints', 'record' | 'kind' | 'characters'>>`
        select record, kind, characters from checkpoints where task_id = ${task.id}`.execute(db);
      doneCharacters = rows.reduce((sum, row) => sum + (row.kind === 'segment' ? row.characters : 0), 0);
      return rows.map((row) => row.record as CheckpointRecord);
    },
    async save(record) {
      const characters = 'characters' in record ? record.characters : 0;
      const paid = record.kind === 'segment' ? Math.min(characters, paidBefore(record.key)) : 0;
      if (record.kind === 'segment') doneCharacters += characters;
      const share = Math.min(1, doneCharacters / task.charCount);
      const progress = record.kind === 'segment' ? translatingFrom + (translatingTo - translatingFrom) * share : 0;
      const { rows } = await sql<{ held: boolean }>`
        with held as (
          update tasks set progress = greatest(progress, ${progress}), lost_attempts = 0
          where id = ${task.id} and attempt = ${attempt.number} and status = 'pending'
          returning account_id
        ), saved as (
          insert into checkpoints (task_id, account_id, kind, key, characters, paid_characters, record)
          select ${task.id}, account_id, ${record.kind}, ${record.key}, ${characters}, ${paid}, ${toJson(record)}::json from held
          on conflict do nothing
        )
        select true as held from held`.execute(db);
      if (rows.length === 0) throw new Fenced(task.id);
      if (record.kind === 'segment') onSegment();
    },
  };
}

/** What the account's earlier tasks have of the segments of a task. */
export interface ReusableSegments {
  /** Accepted segments by key. */
  find(keys: readonly string[]): Promise<ReadonlyMap<string, SegmentOutcome>>;
  /** Characters of a segment that a preview has paid for; known once the segment was looked for. */
  paidBefore(key: string): number;
}

export function reusableSegments(db: Db, task: Task): ReusableSegments {
  const paid = new Map<string, number>();
  return {
    paidBefore: (key) => paid.get(key) ?? 0,
    async find(keys) {
      const { rows } = await sql<EarlierSegmentRow>`
        select distinct on (c.key) c.key, c.record, c.characters, t.status, t.credits_charged, t.char_limit
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
      return new Map(rows.map((row) => [row.key, (row.record as SegmentRecord).outcome]));
    },
  };
}

type SegmentRecord = Extract<CheckpointRecord, { kind: 'segment' }>;
type EarlierSegmentRow = Columns<'checkpoints', 'key' | 'record' | 'characters'> &
  Columns<'tasks', 'status' | 'credits_charged' | 'char_limit'>;

/** What was done for a task so far, for its price. */
export async function readWork(trx: Trx, taskId: string): Promise<Work> {
  const { rows } = await sql<Work>`
    select coalesce(sum(characters) filter (where kind = 'segment'), 0)::bigint as segments,
      coalesce(sum(paid_characters), 0)::bigint as "paidBefore",
      coalesce(sum(characters) filter (where kind = 'extraction'), 0)::bigint as extractions
    from checkpoints where task_id = ${taskId}`.execute(trx);
  return rows[0] as Work;
}

/** PostgreSQL cannot hold U+0000 in text; no book needs it. */
function toJson(record: CheckpointRecord): string {
  return JSON.stringify(record, (_key, value) =>
    typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '') : value,
  );
}
