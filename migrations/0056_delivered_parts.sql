-- A cancelled task delivers what it has finished a moment after its end: that is an event of its own.
alter table events drop constraint events_type_known;
alter table events add constraint events_type_known check (type in (
  'task.completed', 'task.failed', 'task.cancelled', 'task.delivered', 'task.chapter_ready', 'balance.low', 'webhook.disabled'));
create unique index events_one_delivery_of_a_task on events (task_id) where type = 'task.delivered';
-- What is still to be written, and to be learned from: the tasks of a series wait for it.
create index tasks_undelivered on tasks (series_id) where status = 'cancelled' and result ->> 'delivery' = 'pending';
