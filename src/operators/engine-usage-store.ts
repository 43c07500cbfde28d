import { sql } from 'kysely';
import { codeName, type FromRow, readRows } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';

/** Unreported calls are those whose server never said what they used, such as a stream that was cut. They are estimated, and not part of the other tokens. */
const countColumns = [
  ...(['calls', 'failed_calls', 'input_tokens', 'cached_input_tokens', 'cache_write_tokens', 'output_tokens'] as const),
  ...(['unreported_calls', 'estimated_input_tokens', 'estimated_output_tokens'] as const),
];
const costColumns = ['cost', 'estimated_cost'] as const;
export type CallCounts = FromRow<Record<(typeof countColumns)[number], number>>;

/** In millionths of a millionth while it is summed, as decimals when it is read; undefined = the engine has no prices. */
export interface CallCosts<T> {
  cost: T | undefined;
  estimatedCost: T | undefined;
}

export interface TaskCalls extends CallCounts, CallCosts<bigint> {
  /** Such as 2026-11-15, UTC. */
  day: string;
  accountId: string;
  taskId: string;
  engine: string;
  /** Failed calls by the kind of fault. */
  faults: Record<string, number>;
}

export const countFields = countColumns.map(codeName) as (keyof CallCounts)[];
const costFields = costColumns.map(codeName) as (keyof CallCosts<bigint>)[];
const columns = sql.raw([...countColumns, ...costColumns].join(', '));
const record = sql.raw(
  `(day date, account_id text, task_id text, engine text, ${countColumns.map((name) => `${name} bigint`).join(', ')}, ${costColumns.map((name) => `${name} numeric`).join(', ')})`,
);
const added = sql.raw(
  [
    ...countColumns.map((name) => `${name} = u.${name} + excluded.${name}`),
    // Null only while neither has a price.
    ...costColumns.map((name) => `${name} = coalesce(u.${name} + excluded.${name}, u.${name}, excluded.${name})`),
  ].join(', '),
);
const rawSums = [...countColumns, ...costColumns].map((name) => `sum(${name})`).join(', ');

/** Adds to what is counted already. Ordered, so that two processes cannot wait for each other. */
export async function addEngineUsage(db: Db, counted: readonly TaskCalls[]): Promise<void> {
  const rows = JSON.stringify(
    counted.map((each) => ({
      day: each.day,
      account_id: each.accountId,
      task_id: each.taskId,
      engine: each.engine,
      ...Object.fromEntries(countFields.map((field, i) => [countColumns[i], each[field]])),
      ...Object.fromEntries(costFields.map((field, i) => [costColumns[i], asDecimal(each[field])])),
      faults: each.faults,
    })),
  );
  await db.transaction().execute(async (trx) => {
    await sql`
      insert into engine_usage as u (day, account_id, task_id, engine, ${columns})
      select day, account_id, task_id, engine, ${columns}
      from json_to_recordset(${rows}::json) as r ${record} order by task_id, engine, day
      on conflict (task_id, engine, day) do update set ${added}`.execute(trx);
    await sql`
      insert into engine_usage_days as u (day, account_id, engine, ${columns})
      select day, account_id, engine, ${sql.raw(rawSums)}
      from json_to_recordset(${rows}::json) as r ${record} group by day, account_id, engine order by day, account_id, engine
      on conflict (day, account_id, engine) do update set ${added}`.execute(trx);
    await sql`
      insert into engine_faults as f (task_id, engine, kind, calls)
      select task_id, engine, kind, sum(n::bigint) from json_to_recordset(${rows}::json) as r (task_id text, engine text, faults json),
        json_each_text(faults) as e (kind, n) group by task_id, engine, kind order by task_id, engine, kind
      on conflict (task_id, engine, kind) do update set calls = f.calls + excluded.calls`.execute(trx);
  });
}

/** Exact: a double has no room for all digits of a large sum. */
function asDecimal(millionthsOfMillionths: bigint | undefined): string | null {
  if (millionthsOfMillionths === undefined) return null;
  const digits = millionthsOfMillionths.toString().padStart(13, '0');
  return `${digits.slice(0, -12)}.${digits.slice(-12)}`;
}

export interface TaskEngine extends CallCounts, CallCosts<string> {
  engine: string;
  /** Failed calls by the kind of fault. */
  faults: Record<string, number>;
}

export async function engineUsageOfTask(db: Db, taskId: string): Promise<TaskEngine[]> {
  return await readRows<TaskEngine>(db)`
    select engine, ${sums}, coalesce((
      select json_object_agg(kind, f.calls order by kind) from engine_faults f where f.task_id = ${taskId} and f.engine = engine_usage.engine
    ), '{}') as faults
    from engine_usage where task_id = ${taskId} group by engine order by engine`;
}

export interface EngineDays extends CallCounts, CallCosts<string> {
  accountId: string;
  accountName: string;
  engine: string;
}

/** Per account and engine, over whole days. Account by account in the order shown, so that a page adds up no more than it shows. */
export async function engineUsageOfDays(
  db: Db,
  { from, to, accountId, limit }: { from: string; to: string; accountId?: string | undefined; limit: number },
): Promise<EngineDays[]> {
  return await readRows<EngineDays>(db)`
    select a.id as account_id, a.name as account_name, u.* from accounts a cross join lateral (
      select engine, ${sums} from engine_usage_days
      where account_id = a.id and day between ${from}::date and ${to}::date group by engine
    ) u where ${accountId === undefined ? sql`true` : sql`a.id = ${accountId}`}
    order by a.name, a.id, u.engine limit ${limit}`;
}

/** What each engine has used today. */
export async function engineUsageToday(db: Db): Promise<Map<string, CallCounts & CallCosts<string>>> {
  const rows = await readRows<CallCounts & CallCosts<string> & { engine: string }>(db)`
    select engine, ${sums} from engine_usage_days where day = (now() at time zone 'UTC')::date group by engine`;
  return new Map(rows.map((row) => [row.engine, row]));
}

const sums = sql.raw(
  [
    ...countColumns.map((name) => `sum(${name})::bigint as ${name}`),
    ...costColumns.map((name) => `sum(${name})::text as ${name}`),
  ].join(', '),
);
