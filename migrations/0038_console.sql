-- Who is signed in to the console, and links that sign in once. Unlogged: after a crash operators sign in again, and a backup
-- carries no session.
create unlogged table console_sessions (
  -- SHA-256 of what the browser holds: reading this table lets nobody in.
  hash bytea primary key,
  kind text not null constraint console_sessions_kind_known check (kind in ('session', 'link')),
  expires_at timestamptz not null
);
create index console_sessions_expiry on console_sessions (expires_at);

-- What each process sees of its engines, renewed every few seconds.
create unlogged table engine_states (
  process text not null,
  engine text not null,
  state text not null,
  paused_seconds double precision not null,
  call_limit integer not null,
  in_flight integer not null,
  waiting integer not null,
  calls bigint not null,
  faults jsonb not null,
  last_fault text,
  last_fault_at timestamptz,
  seen_at timestamptz not null default now(),
  primary key (process, engine)
);
