-- Which files a partner asked for besides the book; null means the usual four.
alter table tasks add column outputs text[];

-- What a person changed in a delivered translation, one row per block. Text, so it goes when the task is purged.
create table task_corrections (
  task_id text not null references tasks (id),
  block_id text not null,
  source text not null,
  target text not null,
  created_at timestamptz not null default now(),
  primary key (task_id, block_id)
);

-- Links that open a translated book in a browser. The address is signed; the row is what can be revoked.
create table reader_links (
  id text primary key,
  task_id text not null references tasks (id),
  key_id text not null references api_keys (id),
  editable boolean not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  constraint reader_links_id_form check (id ~ '^rdl_[0-9a-z]{26}$')
);
create index reader_links_task on reader_links (task_id);
