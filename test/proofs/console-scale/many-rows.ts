/** A service with a year behind it, made in the database: accounts, tasks, their credits, calls, events and deliveries. */
import pg from 'pg';

export interface ManyRows {
  tasks: number;
  accounts: number;
  days: number;
}

/** The id of the nth row. */
export function rowId(prefix: string, n: number): string {
  return `${prefix}_${String(n).padStart(26, '0')}`;
}

/** In SQL. */
function idOf(prefix: string, n: string): string {
  return `'${prefix}_' || lpad((${n})::text, 26, '0')`;
}

/** Every hundredth task belongs to one large partner, and this one is its largest book. */
export const largeAccount = rowId('acc', 1);
export const largeTask = rowId('task', 7);

export async function fillWithHistory(databaseUrl: string, rows: ManyRows): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // No triggers and no look-ups of foreign keys: the rows below fit each other.
    await client.query(`set session_replication_role = replica; set work_mem = '256MB'; set synchronous_commit = off`);
    for (const statement of history(rows)) await client.query(statement);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

function history({ tasks, accounts, days }: ManyRows): string[] {
  const secondsApart = (days * 86_400) / tasks;
  const accountOf = (n: string) =>
    `case when ${n} % 100 = 7 then '${largeAccount}' else ${idOf('acc', `${n} % ${accounts} + 1`)} end`;
  const recent = `ended_at > now() - interval '29 days'`;
  const counts = `calls, failed_calls, input_tokens, cached_input_tokens, output_tokens`;
  return [
    `insert into accounts (id, name, name_key, rate_limit_per_minute, created_at)
     select ${idOf('acc', 'n')}, 'Press ' || n, 'press ' || n, 60, now() - make_interval(days => 400, secs => n) from generate_series(1, ${accounts}) n`,
    `insert into api_keys (id, account_id, hash, prefix, mode)
     select ${idOf('key', 'n')}, ${idOf('acc', 'n')}, sha256(n::text::bytea), 'many' || n, 'live' from generate_series(1, ${accounts}) n`,
    `insert into tasks (id, account_id, key_id, action, sandbox, status, stage, progress, file_name, source_lang, target_lang, char_count,
       estimated_credits, credits_charged, source_sha256, result, lane, job_id, created_at, ended_at, purged_at, partner_metadata, error_code,
       error_message)
     select id, account_id, replace(account_id, 'acc', 'key'), action, false, status, status, case when status = 'completed' then 1 else 0.5 end,
       'novel-' || n || '.epub', case n % 3 when 0 then 'en' when 1 then 'ja' else 'zh' end, case n % 2 when 0 then 'de' else 'fr' end, 1000 + n % 5000,
       1000 + n % 5000, case when status = 'failed' then 0 else 1000 end, repeat('0', 64), json_build_object('warnings', json_build_array(repeat('warning ', 20))),
       'book', gen_random_uuid(), at, at + interval '5 minutes', case when at < now() - interval '31 days' then at + interval '30 days' end,
       jsonb_build_object('external_id', 'order-' || n), case when status = 'failed' then 'ENGINE_DOWN' end,
       case when status = 'failed' then 'No engine answered for ' || n || ' minutes.' end
     from (select n, ${idOf('task', 'n')} as id, ${accountOf('n')} as account_id, now() - make_interval(secs => 600 + n * ${secondsApart}) as at,
       case when n % 5 = 0 then 'glossary_extraction' else 'translation' end as action,
       case when n % 50 = 1 then 'failed' when n % 50 = 2 then 'cancelled' else 'completed' end as status
       from generate_series(1, ${tasks}) n) t`,
    `insert into task_outputs (task_id, file_id, position, file_name, media_type, storage_key, size_bytes, sha256)
     select id, 'translated', 0, 'novel.de.epub', 'application/epub+zip', 'outputs/x', 1000, repeat('0', 64) from tasks where ${recent}`,
    `insert into checkpoints (task_id, account_id, kind, key, characters, record, created_at)
     select t.id, account_id, 'segment', 'key ' || n, 100, json_build_object('text', repeat('word ', 60)), t.ended_at
     from tasks t, generate_series(1, 4) n where ${recent} order by t.ended_at`,
    `insert into checkpoints (task_id, account_id, kind, key, characters, record, created_at)
     select '${largeTask}', '${largeAccount}', 'segment', 'large ' || n, 400, json_build_object('text', repeat('word ', 80)), now() - make_interval(secs => 4000 - n)
     from generate_series(1, 4000) n`,
    `insert into task_chapters (task_id, index, title, characters, segment_keys, content, ready_at)
     select '${largeTask}', n, 'Chapter ' || n, 10000, array['key'], decode(repeat('00', 9000), 'hex'), now() from generate_series(1, 400) n`,
    `insert into credit_transfers (account_id, kind, debit_book, credit_book, amount, task_id, created_at)
     select account_id, 'hold', 'available', 'reserved', estimated_credits, id, created_at from tasks order by created_at`,
    `insert into credit_transfers (account_id, kind, debit_book, credit_book, amount, task_id, created_at)
     select account_id, 'charge', 'reserved', 'spent', credits_charged, id, ended_at from tasks where credits_charged > 0 order by created_at`,
    `insert into credit_holds (task_id, account_id, amount, charged, released, ended_at)
     select id, account_id, estimated_credits, credits_charged, estimated_credits - credits_charged, ended_at from tasks`,
    `insert into credit_balances (account_id, granted, available, spent)
     select a.id, 10000000000 + coalesce(s.spent, 0), 10000000000, coalesce(s.spent, 0)
     from accounts a left join (select account_id, sum(credits_charged) as spent from tasks group by 1) s on s.account_id = a.id
     on conflict (account_id) do nothing`,
    `insert into usage_days (day, account_id, action, source_lang, target_lang, sandbox, completed, failed, cancelled, characters, credits)
     select (ended_at at time zone 'UTC')::date, account_id, action, source_lang, target_lang, sandbox, count(*) filter (where status = 'completed'),
       count(*) filter (where status = 'failed'), count(*) filter (where status = 'cancelled'), sum(char_count), sum(credits_charged)
     from tasks group by 1, 2, 3, 4, 5, 6 order by 1`,
    `insert into engine_usage (day, account_id, task_id, engine, ${counts})
     select (ended_at at time zone 'UTC')::date, account_id, id, 'model', 20, 1, 30000, 1000, 20000 from tasks`,
    `insert into engine_usage_days (day, account_id, engine, ${counts})
     select day, account_id, engine, sum(calls), sum(failed_calls), sum(input_tokens), sum(cached_input_tokens), sum(output_tokens)
     from engine_usage group by 1, 2, 3 order by 1`,
    `insert into webhooks (id, account_id, url, event_types, secret)
     select ${idOf('whk', 'n')}, ${idOf('acc', 'n')}, 'https://press-' || n || '.example/toledo', array['task.completed'], '\\x00' from generate_series(1, ${accounts}) n`,
    `insert into events (account_id, place, id, type, task_id, data, created_at)
     select account_id, row_number() over (partition by account_id order by ended_at), replace(id, 'task', 'evt'), 'task.' || status, id, '{}', ended_at
     from tasks where ${recent}`,
    `insert into webhook_deliveries (id, webhook_id, account_id, event_place, status, attempts, created_at)
     select replace(id, 'evt', 'dlv'), replace(account_id, 'acc', 'whk'), account_id, place, case when right(id, 2) = '11' then 'failed' else 'delivered' end, 1, created_at from events`,
    `insert into webhook_attempts (delivery_id, number, duration_ms, status_code) select id, 1, 30, 200 from webhook_deliveries`,
    `insert into audit_log (at, actor, action, subject, account_id)
     select created_at + interval '1 minute', 'console (127.0.0.1)', 'task.read', id, account_id from tasks where right(id, 2) = '07' order by created_at`,
  ];
}
