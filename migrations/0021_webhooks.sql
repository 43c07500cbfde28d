-- Webhooks: where events are pushed to, and what came of it.

create table webhooks (
  id text primary key constraint webhooks_id_form check (id ~ '^whk_[0-9a-z]{26}$'),
  account_id text not null references accounts (id),
  url text not null constraint webhooks_url_length check (length(url) between 1 and 2048),
  description text not null default '' constraint webhooks_description_length check (length(description) <= 200),
  event_types text[] not null constraint webhooks_some_events check (cardinality(event_types) > 0),
  enabled boolean not null default true,
  -- Why we disabled it; null when it is enabled or its owner did.
  disabled_reason text constraint webhooks_disabled_reason_known check (disabled_reason in ('gone', 'failing')),
  -- Encrypted with a key derived from the server's secret: they must be readable to sign with.
  secret bytea not null,
  previous_secret bytea,
  previous_secret_until timestamptz,
  -- Of an unbroken row of failures.
  failing_since timestamptz,
  created_at timestamptz not null default now(),
  constraint webhooks_reason_when_disabled check (not enabled or disabled_reason is null),
  constraint webhooks_previous_secret_ends check ((previous_secret is null) = (previous_secret_until is null))
);
create index webhooks_account on webhooks (account_id, created_at);

create table webhook_deliveries (
  id text primary key constraint webhook_deliveries_id_form check (id ~ '^dlv_[0-9a-z]{26}$'),
  webhook_id text not null references webhooks (id) on delete cascade,
  account_id text not null,
  event_place bigint not null,
  status text not null default 'pending' constraint webhook_deliveries_status_known check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  created_at timestamptz not null default now(),
  foreign key (account_id, event_place) references events (account_id, place) on delete cascade,
  constraint webhook_deliveries_next_when_pending check ((status = 'pending') = (next_attempt_at is not null))
);
create index webhook_deliveries_newest on webhook_deliveries (webhook_id, created_at desc, id desc);
create index webhook_deliveries_event on webhook_deliveries (account_id, event_place);
create index webhook_deliveries_pending on webhook_deliveries (webhook_id) where status = 'pending';

create table webhook_attempts (
  delivery_id text not null references webhook_deliveries (id) on delete cascade,
  number integer not null,
  attempted_at timestamptz not null default now(),
  duration_ms integer not null,
  status_code integer,
  -- A stable word when there was no acceptable answer.
  error text,
  -- The first 1 KB of the answer.
  answer text,
  primary key (delivery_id, number)
);
