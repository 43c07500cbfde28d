-- Live keys and test keys of an account see nothing of each other: webhooks and events belong to one of the two, as tasks and series do.
alter table webhooks add column sandbox boolean not null default false;
update webhooks set sandbox = true
where not exists (select from api_keys k where k.account_id = webhooks.account_id and k.mode = 'live');
alter table events add column sandbox boolean not null default false;
update events set sandbox = true from tasks where tasks.id = events.task_id and tasks.sandbox;
create index events_of_mode on events (account_id, sandbox, place);
-- GET /tasks of one kind of key must not pass over all the tasks of the other.
create index tasks_of_mode on tasks (account_id, sandbox, created_at desc, id desc);
