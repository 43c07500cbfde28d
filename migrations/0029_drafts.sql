-- Whether an engine that makes drafts may translate a task, and what an engine last said when it failed one: for operators.
alter table tasks
  add column accept_draft boolean not null default true,
  add column engine_fault text;
