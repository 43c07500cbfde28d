-- Objects in storage that no task speaks of yet: noted before they are written and forgotten when a task takes them over. What a
-- process leaves behind is found here, without listing everything that is stored.
create table loose_objects (
  key text not null,
  task_id text not null,
  -- The attempt that writes it; 0 for a source, which comes before its task.
  attempt integer not null default 0,
  due_at timestamptz not null default now() + interval '1 hour',
  constraint loose_objects_pkey primary key (key)
);
create index loose_objects_due on loose_objects (due_at);
create index loose_objects_task on loose_objects (task_id);

-- What earlier versions may have left: outputs of attempts that did not end.
insert into loose_objects (key, task_id, attempt)
select 'outputs/' || t.id || '/' || n || '-' || file, t.id, n
from tasks t, generate_series(1, least(t.attempt, 25)) n, unnest(array['translated', 'bilingual', 'glossary', 'report']) file
where t.purged_at is null and (n < t.attempt or t.status <> 'completed')
  and not exists (select from task_outputs o where o.task_id = t.id and o.storage_key = 'outputs/' || t.id || '/' || n || '-' || file);

-- House-keeping that one process of all does at a time.
create table chores (
  name text not null,
  next_at timestamptz not null,
  constraint chores_pkey primary key (name)
);

-- Pending tasks whose job has vanished or given up; the job engine's tables are its own and may not be there yet.
create function tasks_without_job() returns setof text language plpgsql stable as $$
begin
  if to_regclass('pgboss.job') is null then return; end if;
  return query execute $query$
    select t.id from tasks t where t.status = 'pending' and not exists (
      select from pgboss.job j where j.name = t.lane and j.id = t.job_id and j.state in ('created', 'retry', 'active'))
    order by t.created_at limit 1000 $query$;
end $$;
