import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf, readRow, readRows } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';
import { type Status, statuses } from '../tasks/states.ts';

const foundColumns = columnsOf(
  'tasks',
  'id account_id action status stage progress file_name book_title source_lang detected_lang target_lang sandbox char_count',
  'credits_charged external_id error_code engine_fault attempt created_at ended_at',
);
type FoundRow = RowOf<typeof foundColumns> & { accountName: string };

/** A task as lists show it: without its result, which may have megabytes. */
export type FoundTask = Omit<FoundRow, 'detectedLang'>;

export interface TaskSearch {
  /** A task id, the beginning of an external id or of a file's name, or part of an error's code or message. */
  text?: string | undefined;
  accountId?: string | undefined;
  status?: Status | undefined;
  /** Tasks older than this one. */
  before?: string | undefined;
  limit: number;
}

/** The text of an error is looked for in this many failed tasks, newest first: a search must not read a history of years. */
export const searchedFailures = 10_000;
/** Of one external id, and of all that begin alike. */
const maxAlike = 1_000;

/** Newest first. */
export async function searchTasks(db: Db, search: TaskSearch): Promise<FoundTask[]> {
  const { text, accountId, status, before, limit } = search;
  const conditions: RawBuilder<unknown>[] = [sql`true`];
  if (accountId !== undefined) conditions.push(sql`tasks.account_id = ${accountId}`);
  // Each order has an index of its own; those over all accounts are by expressions, see 0039_console_lookups.sql and 0052_tasks_by_status.sql.
  if (status !== undefined)
    conditions.push(accountId === undefined ? sql`lower(tasks.status) = ${status}` : sql`tasks.status = ${status}`);
  const ofAll = accountId === undefined && status === undefined;
  const age = (table: string) => sql.raw(ofAll ? `(${table}.created_at at time zone 'UTC')` : `${table}.created_at`);
  if (before !== undefined)
    conditions.push(sql`(${age('tasks')}, tasks.id) < (select ${age('b')}, b.id from tasks b where b.id = ${before})`);
  const where = sql.join(conditions, sql` and `);
  const source = text === undefined || text === '' ? sql`tasks` : matching(text, where, limit);
  const rows = await readRows<FoundRow>(db)`
    select ${foundColumns}, a.name as account_name from ${source} join accounts a on a.id = tasks.account_id
    where ${where}
    order by ${age('tasks')} desc, tasks.id desc limit ${limit}`;
  return rows.map(({ detectedLang, ...row }) => ({
    ...row,
    sourceLang: row.sourceLang === 'auto' ? (detectedLang ?? 'auto') : row.sourceLang,
  }));
}

/** By what a text can mean. Each part is bounded by itself, and ends when it has found a page. */
function matching(text: string, where: RawBuilder<unknown>, limit: number): RawBuilder<unknown> {
  const ids = /^task_[0-9a-z]{26}$/.test(text)
    ? sql`select ${text}::text as id`
    : sql`
      (select id from (
        select * from tasks where external_id = ${text} order by created_at desc limit ${maxAlike}
      ) tasks where ${where} order by created_at desc, id desc limit ${limit})
      union
      ${beginning('external_id', text, where, limit)}
      union
      ${beginning('lower(file_name)', text.toLowerCase(), where, limit)}
      union
      (select id from (
        select * from tasks where lower(status) = 'failed' order by created_at desc, id desc limit ${searchedFailures}
      ) tasks where position(lower(${text}) in lower(error_code || ' ' || coalesce(error_message, ''))) > 0 and ${where}
      order by created_at desc, id desc limit ${limit})`;
  return sql`(${ids}) found join tasks on tasks.id = found.id`;
}

/** By the operators of the index, which knows no language: a statement that is planned once serves every text. */
function beginning(column: string, text: string, where: RawBuilder<unknown>, limit: number): RawBuilder<unknown> {
  const name = sql.raw(column);
  return sql`(select id from (
        select * from tasks where ${name} ~>=~ ${text} and ${name} ~<~ ${`${text}\u{10FFFF}`} limit ${maxAlike}
      ) tasks where ${where} order by created_at desc, id desc limit ${limit})`;
}

/** Counted up to this: a tab must not read a history of years. */
export const mostCounted = 10_000;

/** Tasks in each state, of all accounts or of one. */
export async function countByStatus(db: Db, accountId?: string | undefined): Promise<Record<Status, number>> {
  const counted = statuses.map((status) => {
    const where =
      accountId === undefined ? sql`lower(status) = ${status}` : sql`account_id = ${accountId} and status = ${status}`;
    return sql`(select count(*) from (select from tasks where ${where} limit ${mostCounted + 1}) t)::int as ${sql.ref(status)}`;
  });
  return (await readRow<Record<Status, number>>(db)`select ${sql.join(counted)}`) as Record<Status, number>;
}

export interface Pace {
  /** Of finished passages. */
  characters: number;
  charactersPerMinute: number;
}

const paceMinutes = 10;

/** How fast books are translated: over the last minutes, or since they began. */
export async function readPace(db: Db, taskIds: readonly string[]): Promise<Map<string, Pace>> {
  if (taskIds.length === 0) return new Map();
  const rows = await readRows<Pace & { taskId: string }>(db)`
    select task_id, sum(characters)::bigint as characters,
      coalesce(sum(characters) filter (where created_at > now() - make_interval(mins => ${paceMinutes})), 0)
        / greatest(least(${paceMinutes}, extract(epoch from now() - min(created_at)) / 60), 0.1)::double precision as characters_per_minute
    from checkpoints where task_id = any(${[...taskIds]}::text[]) and kind = 'segment' group by task_id`;
  return new Map(rows.map(({ taskId, ...pace }) => [taskId, pace]));
}
