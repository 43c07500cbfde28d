import { sql } from 'kysely';
import type { Db } from '../../platform/postgres.ts';
import type { Checkpoint, CheckpointRecord } from '../../translation/checkpoint.ts';
import type { SegmentOutcome } from '../../translation/translate-segment.ts';
import type { Task } from '../task.ts';
import { type Attempt, Fenced } from './attempt-store.ts';

/** Reading and analysing come before, writing and storing after: the share of progress that translating fills. */
const translatingFrom = 0.05;
const translatingTo = 0.97;

/**
 * The checkpoint of a task in the database: each record is committed at once, together with the progress it stands for,
 * and only while this worker holds the task.
 */
export function databaseCheckpoint(db: Db, task: Task, attempt: Attempt, onSegment: () => void = () => {}): Checkpoint {
  let doneCharacters = 0;
  return {
    async load() {
      const { rows } = await sql<{ record: CheckpointRecord; characters: number }>`
        select record, characters from checkpoints where task_id = ${task.id}`.execute(db);
      doneCharacters = rows.reduce((sum, row) => sum + row.characters, 0);
      return rows.map((row) => row.record);
    },
    async save(record) {
      const characters = record.kind === 'segment' ? record.characters : 0;
      doneCharacters += characters;
      const share = Math.min(1, doneCharacters / task.charCount);
      const progress = record.kind === 'segment' ? translatingFrom + (translatingTo - translatingFrom) * share : 0;
      const { rows } = await sql<{ held: boolean }>`
        with held as (
          update tasks set progress = greatest(progress, ${progress}), lost_attempts = 0
          where id = ${task.id} and attempt = ${attempt.number} and status = 'pending'
          returning account_id
        ), saved as (
          insert into checkpoints (task_id, account_id, kind, key, characters, record)
          select ${task.id}, account_id, ${record.kind}, ${record.key}, ${characters}, ${toJson(record)}::json from held
          on conflict do nothing
        )
        select true as held from held`.execute(db);
      if (rows.length === 0) throw new Fenced(task.id);
      if (record.kind === 'segment') onSegment();
    },
  };
}

/** Accepted segments of the account's earlier tasks, by key, and which of them a preview has paid for. */
export interface ReusableSegments {
  find(keys: readonly string[]): Promise<ReadonlyMap<string, SegmentOutcome>>;
  paidInPreview: ReadonlySet<string>;
}

export function reusableSegments(db: Db, task: Task): ReusableSegments {
  const paidInPreview = new Set<string>();
  return {
    paidInPreview,
    async find(keys) {
      const { rows } = await sql<{ key: string; record: { outcome: SegmentOutcome }; paid: boolean }>`
        select distinct on (c.key) c.key, c.record,
          t.status = 'completed' and t.credits_charged > 0 and t.char_limit is not null as paid
        from checkpoints c join tasks t on t.id = c.task_id
        where c.account_id = ${task.accountId} and c.kind = 'segment' and c.key = any(${keys})
          and c.task_id <> ${task.id} and t.sandbox = ${task.sandbox}
        order by c.key, paid desc, c.created_at`.execute(db);
      for (const row of rows) if (row.paid) paidInPreview.add(row.key);
      return new Map(rows.map((row) => [row.key, row.record.outcome]));
    },
  };
}

/** Characters of this task whose segments were paid for in a preview, when the account's setting credits them. */
export async function creditedCharacters(db: Db, task: Task, paidInPreview: ReadonlySet<string>): Promise<number> {
  if (paidInPreview.size === 0 || task.charLimit !== undefined) return 0;
  const { rows } = await sql<{ credited: number }>`
    select coalesce(sum(c.characters), 0)::bigint as credited
    from checkpoints c join accounts a on a.id = c.account_id and a.credit_previews
    where c.task_id = ${task.id} and c.kind = 'segment' and c.key = any(${[...paidInPreview]})`.execute(db);
  return rows[0]?.credited ?? 0;
}

/** PostgreSQL cannot hold U+0000 in text; no book needs it. */
function toJson(record: CheckpointRecord): string {
  return JSON.stringify(record, (_key, value) =>
    typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '') : value,
  );
}
