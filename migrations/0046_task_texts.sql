-- The source of a task whose source is a small text: it comes to be with the task in one commit, and needs no object of its own.
create table task_texts (
  task_id text primary key references tasks (id),
  content bytea not null check (length(content) <= 65536)
);
