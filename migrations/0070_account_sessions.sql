-- Who is signed in to the partner's pages. Unlogged, as console_sessions: a crash signs out, and a backup carries no session.
create unlogged table account_sessions (
  -- SHA-256 of what the browser holds: reading this table lets nobody in.
  hash bytea primary key,
  -- The API key, sealed with what the browser holds: reading this table reveals no key.
  sealed_key bytea not null,
  key_prefix text not null,
  expires_at timestamptz not null
);
create index account_sessions_expiry on account_sessions (expires_at);
create index account_sessions_key on account_sessions (key_prefix, expires_at);

-- A new key, sealed in the same way, until the operator dismisses it.
alter table console_sessions add column kept_notice bytea;
