-- Tasks: what a partner asked for, how far it is, and what came out. The state machine is held here, not in code.

create table tasks (
  id text primary key,
  account_id text not null references accounts (id),
  key_id text not null references api_keys (id),
  action text not null,
  -- Made with a sandbox key: no credits move.
  sandbox boolean not null,
  status text not null default 'pending',
  stage text not null default 'queued',
  progress double precision not null default 0,
  file_name text not null,
  -- As sent, `auto` until the language is detected; the second is what detection found.
  source_lang text not null,
  detected_lang text,
  target_lang text,
  char_limit bigint,
  char_count bigint not null,
  estimated_credits bigint not null,
  credits_charged bigint,
  partner_metadata jsonb not null default '{}',
  external_id text generated always as (partner_metadata ->> 'external_id') stored,
  glossary jsonb,
  glossary_strategy text not null default 'merge',
  source_key text,
  source_sha256 text not null,
  -- Terms, metadata, estimate, coverage, warnings: whatever the finished action shows inline.
  result json,
  error_code text,
  error_message text,
  error_retryable boolean,
  lane text not null,
  job_id uuid not null,
  -- The fence: goes up each time a worker takes the task; a write with an older number is refused.
  attempt integer not null default 0,
  -- Runs that ended in an unexpected fault; a graceful stop or a killed worker is not one.
  faults integer not null default 0,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  purged_at timestamptz,
  constraint tasks_id_form check (id ~ '^task_[0-9a-z]{26}$'),
  constraint tasks_action_known check (action in ('translation', 'preview_translation', 'token_estimate', 'glossary_extraction', 'preview_metadata')),
  constraint tasks_status_known check (status in ('pending', 'completed', 'failed', 'cancelled')),
  constraint tasks_stage_known check (stage in ('queued', 'preparing', 'translating', 'finalizing', 'completed', 'failed', 'cancelled')),
  constraint tasks_stage_fits_status check (case when status = 'pending' then stage in ('queued', 'preparing', 'translating', 'finalizing') else stage = status end),
  constraint tasks_progress_range check (progress >= 0 and progress <= 1 and (progress < 1 or status = 'completed') and (status <> 'completed' or progress = 1)),
  constraint tasks_end_is_complete check ((status = 'pending') = (ended_at is null) and (status = 'pending') = (credits_charged is null)),
  constraint tasks_error_only_when_failed check ((status = 'failed') = (error_code is not null)),
  constraint tasks_failed_costs_nothing check (status <> 'failed' or credits_charged = 0),
  constraint tasks_char_count_positive check (char_count > 0),
  constraint tasks_lane_known check (lane in ('short', 'book'))
);
create index tasks_newest on tasks (account_id, created_at desc, id desc);
create index tasks_external_id on tasks (account_id, external_id, created_at desc) where external_id is not null;
create index tasks_pending on tasks (account_id, lane) where status = 'pending';
create index tasks_to_purge on tasks (ended_at) where purged_at is null and ended_at is not null;

-- End states are final, progress never falls, and what identifies a task never changes.
create function guard_task() returns trigger language plpgsql as $$
begin
  if (new.id, new.account_id, new.action, new.char_count, new.estimated_credits, new.created_at)
     is distinct from (old.id, old.account_id, old.action, old.char_count, old.estimated_credits, old.created_at) then
    raise exception 'a task keeps its identity' using errcode = 'restrict_violation', constraint = 'tasks_identity_fixed';
  end if;
  if old.status <> 'pending' and (new.status, new.stage, new.progress, new.credits_charged, new.ended_at, new.error_code)
     is distinct from (old.status, old.stage, old.progress, old.credits_charged, old.ended_at, old.error_code) then
    raise exception 'task % has ended', old.id using errcode = 'restrict_violation', constraint = 'tasks_end_final';
  end if;
  if new.progress < old.progress then
    raise exception 'progress never falls' using errcode = 'restrict_violation', constraint = 'tasks_progress_rises';
  end if;
  return new;
end $$;
create trigger tasks_guard before update on tasks for each row execute function guard_task();

create table task_outputs (
  task_id text not null references tasks (id),
  file_id text not null,
  position integer not null,
  file_name text not null,
  media_type text not null,
  storage_key text not null,
  size_bytes bigint not null,
  sha256 text not null,
  primary key (task_id, file_id)
);

-- A partner's Idempotency-Key, claimed in the transaction that creates its task. The stored body is replayed verbatim;
-- it is null only while an inline action is still being waited for.
create table idempotency_keys (
  account_id text not null references accounts (id),
  key text not null,
  fingerprint bytea not null,
  -- Deferred: the key is claimed first, so that duplicates wait here before anything else happens.
  task_id text not null references tasks (id) deferrable initially deferred,
  response_body text,
  created_at timestamptz not null default now(),
  primary key (account_id, key),
  constraint idempotency_keys_length check (length(key) between 1 and 255)
);
create index idempotency_keys_task on idempotency_keys (task_id);

-- Credits held for a task that has not ended. Each hold ends exactly once, in a charge, a release, or both.
create table credit_holds (
  task_id text primary key references tasks (id) deferrable initially deferred,
  account_id text not null references accounts (id),
  amount bigint not null,
  charged bigint,
  released bigint,
  ended_at timestamptz,
  constraint credit_holds_amount_positive check (amount > 0),
  constraint credit_holds_end_once check ((ended_at is null) = (charged is null) and (ended_at is null) = (released is null)),
  constraint credit_holds_add_up check (ended_at is null or (charged >= 0 and released >= 0 and charged + released = amount))
);
create index credit_holds_open on credit_holds (account_id) where ended_at is null;

create function guard_hold() returns trigger language plpgsql as $$
begin
  if old.ended_at is not null or (new.task_id, new.account_id, new.amount) is distinct from (old.task_id, old.account_id, old.amount) then
    raise exception 'the hold of task % has ended', old.task_id using errcode = 'restrict_violation', constraint = 'credit_holds_final';
  end if;
  return new;
end $$;
create trigger credit_holds_guard before update on credit_holds for each row execute function guard_hold();
create trigger credit_holds_kept before delete or truncate on credit_holds for each statement execute function refuse_change();

-- What a run needs to go on after a crash: extraction answers, the frozen glossary, accepted segments, revisions.
create table checkpoints (
  task_id text not null references tasks (id),
  account_id text not null,
  kind text not null,
  key text not null,
  characters bigint not null default 0,
  record json not null,
  created_at timestamptz not null default now(),
  primary key (task_id, kind, key)
);
-- Reuse of a segment by a later task of the same account.
create index checkpoints_segment on checkpoints (account_id, key) where kind = 'segment';
