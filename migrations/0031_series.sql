-- Series: stories that go on. A series has terms and a memory of paragraphs; its tasks read from both and add to them.
create table series (
  id text primary key,
  account_id text not null references accounts (id),
  -- Made with a sandbox key: invented text never meets real text.
  sandbox boolean not null,
  title text not null,
  source_lang text,
  target_lang text not null,
  style text,
  metadata jsonb not null default '{}',
  -- The story so far, from the volumes that are finished.
  synopsis text not null default '',
  -- Goes up with every change of the terms: whoever read an older one reads again before adding to them.
  terms_version bigint not null default 0,
  created_at timestamptz not null default now(),
  constraint series_id_form check (id ~ '^ser_[0-9a-z]{26}$')
);
create index series_newest on series (account_id, sandbox, created_at desc, id desc);

create table series_terms (
  series_id text not null references series (id) on delete cascade,
  source text not null,
  target text not null,
  type text not null,
  gender text not null,
  aliases text[] not null,
  case_sensitive boolean,
  note text,
  confidence double precision not null,
  origin text not null,
  first_task_id text,
  occurrences bigint not null default 0,
  constraint series_terms_pkey primary key (series_id, source),
  constraint series_terms_origin_known check (origin in ('supplied', 'extracted', 'corrected'))
);

-- A memory of paragraphs: one for each series, and one for each account and mode for its tasks outside of series.
create table memories (
  id bigint generated always as identity primary key,
  account_id text not null references accounts (id),
  sandbox boolean not null,
  series_id text unique references series (id) on delete cascade,
  -- What it holds, in blocks and in characters of their sources.
  blocks bigint not null default 0,
  characters bigint not null default 0
);
create unique index memories_of_account on memories (account_id, sandbox) where series_id is null;

-- One remembered block and what decided its translation. The source itself is not here: it comes with every task.
create table memory_blocks (
  memory_id bigint not null references memories (id) on delete cascade,
  -- Hash of the text without tags.
  text_key uuid not null,
  -- Hash of everything else that decided: kind, tags, languages, style, terms. 0 for a correction, which holds whatever they are.
  variant bigint not null,
  -- Hash of the paragraphs before and after; -1 for a correction that holds everywhere.
  context bigint not null,
  -- 0 translated, 1 translated by a draft engine, 2 corrected by a person, 3 invented by the sandbox.
  grade smallint not null,
  target text not null,
  -- Outside of series a paragraph belongs to its task and goes with it.
  task_id text,
  constraint memory_blocks_pkey primary key (memory_id, text_key, variant, context),
  constraint memory_blocks_grade_known check (grade between 0 and 3)
);
create index memory_blocks_task on memory_blocks (task_id) where task_id is not null;

-- The series may be deleted under a task, which then keeps its name, and its price.
alter table tasks add column series_id text;
create index tasks_series on tasks (series_id, created_at desc) where series_id is not null;

-- Segments of earlier tasks were looked up here; the memory of blocks does that now.
drop index checkpoints_segment;
