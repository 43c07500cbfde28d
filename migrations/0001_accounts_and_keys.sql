-- Partners, their keys, and the state of the rate limit.

create table accounts (
  id text primary key,
  name text not null,
  -- The name as operators may type it: case-folded by the application, because the database's locale folds ASCII only.
  name_key text not null,
  rate_limit_per_minute integer not null,
  billing_period text not null default 'monthly',
  created_at timestamptz not null default now(),
  constraint accounts_id_form check (id ~ '^acc_[0-9a-z]{26}$'),
  constraint accounts_name_unique unique (name_key),
  constraint accounts_name_form check (name = btrim(name) and length(name) between 1 and 200),
  constraint accounts_rate_limit_range check (rate_limit_per_minute between 1 and 100000),
  constraint accounts_billing_period_known check (billing_period in ('monthly', 'open'))
);

create table api_keys (
  id text primary key,
  account_id text not null references accounts (id),
  -- HMAC-SHA256 of the key with the server secret: the key itself is shown once and stored nowhere.
  hash bytea not null,
  prefix text not null,
  mode text not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  constraint api_keys_id_form check (id ~ '^key_[0-9a-z]{26}$'),
  constraint api_keys_hash_unique unique (hash),
  constraint api_keys_prefix_unique unique (prefix),
  constraint api_keys_hash_length check (octet_length(hash) = 32),
  constraint api_keys_mode_known check (mode in ('live', 'test'))
);
create index api_keys_account on api_keys (account_id);

-- GCRA state, one row per key: the theoretical arrival time of the next request. Unlogged: losing it in a crash
-- forgives at most one minute of requests, and unlogged rows took 5,056 decisions a second against 845.
create unlogged table rate_limits (
  key_id text primary key,
  arrival_at timestamptz not null,
  allowed boolean not null
) with (fillfactor = 50);

-- Facts about this installation, such as the fingerprint of the secret that its keys were hashed with.
create table installation (
  name text primary key,
  value text not null,
  created_at timestamptz not null default now()
);
