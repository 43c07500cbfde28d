-- Prepaid credits: an append-only double-entry ledger. Each transfer moves an amount between two of the account's
-- books; credit_balances holds the running total of each book and can never contradict itself.

create table credit_balances (
  account_id text primary key references accounts (id),
  granted bigint not null default 0,
  available bigint not null default 0,
  reserved bigint not null default 0,
  spent bigint not null default 0,
  constraint credit_balances_available_not_negative check (available >= 0),
  constraint credit_balances_reserved_not_negative check (reserved >= 0),
  constraint credit_balances_spent_not_negative check (spent >= 0),
  constraint credit_balances_add_up check (granted = available + reserved + spent)
);

create table credit_transfers (
  id bigint generated always as identity primary key,
  account_id text not null references accounts (id),
  kind text not null,
  debit_book text not null,
  credit_book text not null,
  amount bigint not null,
  task_id text,
  -- The operator's own id of a top-up: the same reference never counts twice.
  reference text,
  created_at timestamptz not null default now(),
  constraint credit_transfers_amount_positive check (amount > 0),
  constraint credit_transfers_books check ((kind, debit_book, credit_book) in (
    ('top_up', 'granted', 'available'),
    ('hold', 'available', 'reserved'),
    ('charge', 'reserved', 'spent'),
    ('release', 'reserved', 'available')
  )),
  constraint credit_transfers_subject check ((kind = 'top_up') = (task_id is null) and (reference is null or kind = 'top_up')),
  constraint credit_transfers_once_per_task unique (task_id, kind)
);
create unique index credit_transfers_reference_unique on credit_transfers (account_id, reference) where reference is not null;
create index credit_transfers_account on credit_transfers (account_id, id desc);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation', constraint = tg_table_name || '_append_only';
end $$;
create trigger credit_transfers_append_only before update or delete or truncate on credit_transfers
  for each statement execute function refuse_change();

-- Credits charged per billing period, kept so that GET /usage stays one indexed read; audit.sql proves it equal to the ledger.
create table credit_periods (
  account_id text not null references accounts (id),
  period_start timestamptz not null,
  used_credits bigint not null,
  primary key (account_id, period_start),
  constraint credit_periods_not_negative check (used_credits >= 0)
);

-- The billing period that contains `at`: months counted from the account's creation, or one open-ended period.
-- In UTC and clamped to the month's end, so it does not depend on the session's time zone (31 January + 1 month = 28 February).
-- It is part of every GET /usage: `returns table` lets the planner inline it, and `offset 0` keeps each step computed once.
create function billing_period(created_at timestamptz, kind text, at timestamptz)
returns table (period_start timestamptz, period_end timestamptz) language sql immutable as $$
  select
    case when kind = 'open' then created_at else (start + make_interval(months => n)) at time zone 'UTC' end,
    case when kind = 'open' then null else (start + make_interval(months => n + 1)) at time zone 'UTC' end
  from (
    select start, case when start + make_interval(months => n) > moment then n - 1 else n end as n
    from (
      select start, moment,
        ((date_part('year', moment) - date_part('year', start)) * 12 + date_part('month', moment) - date_part('month', start))::int as n
      from (select created_at at time zone 'UTC' as start, at at time zone 'UTC' as moment offset 0) anchor
      offset 0
    ) months
    offset 0
  ) settled
$$;
