-- What an operator asks about one task: each attempt, each stage and each fault, and which faults its engines had.
create table task_log (
  id bigint generated always as identity primary key,
  task_id text not null references tasks (id),
  attempt integer not null,
  at timestamptz not null default clock_timestamp(),
  level text not null constraint task_log_level_known check (level in ('info', 'warn', 'error')),
  text text not null constraint task_log_text_length check (length(text) <= 500)
);
create index task_log_task on task_log (task_id, id desc);

-- By a trigger, so that no way to say how far a task is forgets it.
create function log_stage() returns trigger language plpgsql as $$
begin
  insert into task_log (task_id, attempt, level, text) values (new.id, new.attempt, 'info', new.stage);
  return null;
end $$;
create trigger tasks_log_stage after update on tasks
  for each row when (old.stage <> new.stage and new.stage in ('translating', 'finalizing')) execute function log_stage();

-- Calls that failed, by the kind of fault.
create table engine_faults (
  task_id text not null references tasks (id),
  engine text not null,
  kind text not null,
  calls bigint not null,
  primary key (task_id, engine, kind)
);
