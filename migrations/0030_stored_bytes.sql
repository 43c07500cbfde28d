-- What a task keeps in storage (source, outputs, result) until it is purged, for the quota of its account; and the size
-- of its result, so that lists can leave out large ones without reading them.
alter table tasks add column stored_bytes bigint not null default 0, add column result_bytes integer not null default 0;
update tasks set result_bytes = coalesce(octet_length(result::text), 0),
  stored_bytes = coalesce(octet_length(result::text), 0)
    + coalesce((select sum(size_bytes) from task_outputs where task_id = tasks.id), 0)
where purged_at is null and ended_at is not null;
create index tasks_stored on tasks (account_id) include (stored_bytes) where stored_bytes > 0;
