import { sql } from 'kysely';
import type { Db } from '../platform/postgres.ts';

export interface CallCounts {
  calls: number;
  failedCalls: number;
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
}

export interface TaskCalls extends CallCounts {
  /** Such as 2026-11-15, UTC. */
  day: string;
  accountId: string;
  taskId: string;
  engine: string;
  /** Failed calls by the kind of fault. */
  faults: Record<string, number>;
}

/** Adds to what is counted already. Ordered, so that two processes cannot wait for each other. */
export async function addEngineUsage(db: Db, counted: readonly TaskCalls[]): Promise<void> {
  const rows = JSON.stringify(
    counted.map((each) => ({
      day: each.day,
      account_id: each.accountId,
      task_id: each.taskId,
      engine: each.engine,
      calls: each.calls,
      failed_calls: each.failedCalls,
      input_tokens: each.inputTokens,
      cached_input_tokens: each.cachedInputTokens,
      output_tokens: each.outputTokens,
      faults: each.faults,
    })),
  );
  const record = sql`(day date, account_id text, task_id text, engine text, calls bigint, failed_calls bigint,
    input_tokens bigint, cached_input_tokens bigint, output_tokens bigint)`;
  const added = sql`calls = u.calls + excluded.calls, failed_calls = u.failed_calls + excluded.failed_calls,
    input_tokens = u.input_tokens + excluded.input_tokens, cached_input_tokens = u.cached_input_tokens + excluded.cached_input_tokens,
    output_tokens = u.output_tokens + excluded.output_tokens`;
  await db.transaction().execute(async (trx) => {
    await sql`
      insert into engine_usage as u (day, account_id, task_id, engine, calls, failed_calls, input_tokens, cached_input_tokens, output_tokens)
      select day, account_id, task_id, engine, calls, failed_calls, input_tokens, cached_input_tokens, output_tokens
      from json_to_recordset(${rows}::json) as r ${record} order by task_id, engine, day
      on conflict (task_id, engine, day) do update set ${added}`.execute(trx);
    await sql`
      insert into engine_usage_days as u (day, account_id, engine, calls, failed_calls, input_tokens, cached_input_tokens, output_tokens)
      select day, account_id, engine, sum(calls), sum(failed_calls), sum(input_tokens), sum(cached_input_tokens), sum(output_tokens)
      from json_to_recordset(${rows}::json) as r ${record} group by day, account_id, engine order by day, account_id, engine
      on conflict (day, account_id, engine) do update set ${added}`.execute(trx);
    await sql`
      insert into engine_faults as f (task_id, engine, kind, calls)
      select task_id, engine, kind, sum(n::bigint) from json_to_recordset(${rows}::json) as r (task_id text, engine text, faults json),
        json_each_text(faults) as e (kind, n) group by task_id, engine, kind order by task_id, engine, kind
      on conflict (task_id, engine, kind) do update set calls = f.calls + excluded.calls`.execute(trx);
  });
}

export interface TaskEngine extends CallCounts {
  engine: string;
  /** Failed calls by the kind of fault. */
  faults: Record<string, number>;
}

export async function engineUsageOfTask(db: Db, taskId: string): Promise<TaskEngine[]> {
  const { rows } = await sql<CountRow & { engine: string; faults: Record<string, number> | null }>`
    select engine, ${sums}, (
      select json_object_agg(kind, f.calls order by kind) from engine_faults f where f.task_id = ${taskId} and f.engine = engine_usage.engine
    ) as faults
    from engine_usage where task_id = ${taskId} group by engine order by engine`.execute(db);
  return rows.map((row) => ({ engine: row.engine, ...toCounts(row), faults: row.faults ?? {} }));
}

export interface EngineDays extends CallCounts {
  accountId: string;
  accountName: string;
  engine: string;
}

/** Per account and engine, over whole days. Account by account in the order shown, so that a page adds up no more than it shows. */
export async function engineUsageOfDays(
  db: Db,
  { from, to, accountId, limit }: { from: string; to: string; accountId?: string | undefined; limit: number },
): Promise<EngineDays[]> {
  const { rows } = await sql<CountRow & { account_id: string; name: string; engine: string }>`
    select a.id as account_id, a.name, u.* from accounts a cross join lateral (
      select engine, ${sums} from engine_usage_days
      where account_id = a.id and day between ${from}::date and ${to}::date group by engine
    ) u where ${accountId === undefined ? sql`true` : sql`a.id = ${accountId}`}
    order by a.name, a.id, u.engine limit ${limit}`.execute(db);
  return rows.map((row) => ({
    accountId: row.account_id,
    accountName: row.name,
    engine: row.engine,
    ...toCounts(row),
  }));
}

/** What each engine has used today. */
export async function engineUsageToday(db: Db): Promise<Map<string, CallCounts>> {
  const { rows } = await sql<CountRow & { engine: string }>`
    select engine, ${sums} from engine_usage_days where day = (now() at time zone 'UTC')::date group by engine`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.engine, toCounts(row)]));
}

interface CountRow {
  calls: number;
  failed_calls: number;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
}

const sums = sql.raw(
  ['calls', 'failed_calls', 'input_tokens', 'cached_input_tokens', 'output_tokens']
    .map((name) => `sum(${name})::bigint as ${name}`)
    .join(', '),
);

function toCounts(row: CountRow): CallCounts {
  return {
    calls: row.calls,
    failedCalls: row.failed_calls,
    inputTokens: row.input_tokens,
    cachedInputTokens: row.cached_input_tokens,
    outputTokens: row.output_tokens,
  };
}
