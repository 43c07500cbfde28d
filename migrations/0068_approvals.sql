-- Paragraphs that an editor has looked at and left as they are. The version is part of the edition of files that tell of them.
create table task_approvals (
  task_id text not null references tasks (id),
  block_id text not null,
  approved_at timestamptz not null default now(),
  primary key (task_id, block_id)
);
alter table tasks add column approvals_version bigint not null default 0;
