-- What tasks cost and what they brought in, so that an operator can bill and plan.

-- Calls and tokens per task: what one book cost.
create table engine_usage (
  day date not null,
  account_id text not null references accounts (id),
  task_id text not null references tasks (id),
  engine text not null,
  calls bigint not null,
  failed_calls bigint not null,
  input_tokens bigint not null,
  cached_input_tokens bigint not null,
  output_tokens bigint not null,
  primary key (task_id, engine, day)
);

-- The same per account and day: a report reads days, not tasks.
create table engine_usage_days (
  day date not null,
  account_id text not null references accounts (id),
  engine text not null,
  calls bigint not null,
  failed_calls bigint not null,
  input_tokens bigint not null,
  cached_input_tokens bigint not null,
  output_tokens bigint not null,
  primary key (day, account_id, engine)
);
create index engine_usage_days_account on engine_usage_days (account_id, day);

-- Tasks that ended, per day, account, action and language pair. Counted by a trigger, so that no way to end a task forgets it.
create table usage_days (
  day date not null,
  account_id text not null references accounts (id),
  action text not null,
  source_lang text not null,
  target_lang text not null,
  sandbox boolean not null,
  completed bigint not null default 0,
  failed bigint not null default 0,
  cancelled bigint not null default 0,
  characters bigint not null default 0,
  credits bigint not null default 0,
  primary key (day, account_id, action, source_lang, target_lang, sandbox)
);
create index usage_days_account on usage_days (account_id, day);

insert into usage_days (day, account_id, action, source_lang, target_lang, sandbox, completed, failed, cancelled, characters, credits)
select (ended_at at time zone 'UTC')::date, account_id, action, coalesce(detected_lang, source_lang), coalesce(target_lang, ''), sandbox,
  count(*) filter (where status = 'completed'), count(*) filter (where status = 'failed'), count(*) filter (where status = 'cancelled'),
  coalesce(sum(char_count) filter (where status = 'completed'), 0), coalesce(sum(credits_charged), 0)
from tasks where ended_at is not null group by 1, 2, 3, 4, 5, 6;

create function count_ended_task() returns trigger language plpgsql as $$
begin
  insert into usage_days as u (day, account_id, action, source_lang, target_lang, sandbox, completed, failed, cancelled, characters, credits)
  values ((new.ended_at at time zone 'UTC')::date, new.account_id, new.action, coalesce(new.detected_lang, new.source_lang),
    coalesce(new.target_lang, ''), new.sandbox, (new.status = 'completed')::int, (new.status = 'failed')::int,
    (new.status = 'cancelled')::int, case when new.status = 'completed' then new.char_count else 0 end, coalesce(new.credits_charged, 0))
  on conflict (day, account_id, action, source_lang, target_lang, sandbox) do update set
    completed = u.completed + excluded.completed, failed = u.failed + excluded.failed, cancelled = u.cancelled + excluded.cancelled,
    characters = u.characters + excluded.characters, credits = u.credits + excluded.credits;
  return null;
end $$;
create trigger tasks_count_ended after update on tasks
  for each row when (old.status = 'pending' and new.status <> 'pending') execute function count_ended_task();
