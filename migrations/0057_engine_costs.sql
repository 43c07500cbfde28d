-- What calls really cost, and what engines have learned about their servers.

-- Tokens that a provider bills for writing its cache. Calls whose server never reported its usage, such as a stream that was cut, are
-- estimated and kept apart: the other columns are what providers bill. Cost is null where the engine has no prices.
alter table engine_usage add column cache_write_tokens bigint not null default 0;
alter table engine_usage add column unreported_calls bigint not null default 0;
alter table engine_usage add column estimated_input_tokens bigint not null default 0;
alter table engine_usage add column estimated_output_tokens bigint not null default 0;
alter table engine_usage add column cost numeric;
alter table engine_usage add column estimated_cost numeric;

alter table engine_usage_days add column cache_write_tokens bigint not null default 0;
alter table engine_usage_days add column unreported_calls bigint not null default 0;
alter table engine_usage_days add column estimated_input_tokens bigint not null default 0;
alter table engine_usage_days add column estimated_output_tokens bigint not null default 0;
alter table engine_usage_days add column cost numeric;
alter table engine_usage_days add column estimated_cost numeric;

-- By endpoint and model, for a day: a server that was changed is asked anew.
create table learned_limits (
  endpoint text primary key,
  learned jsonb not null,
  learned_at timestamptz not null default now(),
  changed_at timestamptz not null default now()
);
