-- Events: written in the transaction that causes them, read by GET /events and pushed to webhooks.

-- The place of an event in its account's feed. The counter's row stays locked until the transaction ends, so events of one
-- account become visible in the order of their numbers: a reader can never pass one that commits late.
create table event_counters (
  account_id text primary key references accounts (id),
  last bigint not null constraint event_counters_positive check (last > 0)
);

create table events (
  account_id text not null references accounts (id),
  place bigint not null,
  id text not null constraint events_id_form check (id ~ '^evt_[0-9a-z]{26}$'),
  type text not null constraint events_type_known check (type in (
    'task.completed', 'task.failed', 'task.cancelled', 'task.chapter_ready', 'balance.low', 'webhook.disabled')),
  task_id text references tasks (id),
  -- Of task.chapter_ready.
  chapter integer,
  -- No text of a book: what stays after a task is purged.
  data json not null,
  created_at timestamptz not null default now(),
  primary key (account_id, place),
  constraint events_id_unique unique (id),
  constraint events_chapter_of_task check ((type = 'task.chapter_ready') = (chapter is not null) and (chapter is null or task_id is not null))
);
create unique index events_one_end_of_a_task on events (task_id) where type in ('task.completed', 'task.failed', 'task.cancelled');
create unique index events_once_per_chapter on events (task_id, chapter) where type = 'task.chapter_ready';
create index events_by_age on events (created_at);

-- Available credits below this cause balance.low.
alter table accounts add column low_balance_credits bigint
  constraint accounts_low_balance_positive check (low_balance_credits > 0);
