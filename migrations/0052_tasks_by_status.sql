-- By an expression that only the console uses, as tasks_by_age is: by the bare column the planner counted the pending tasks of one
-- account, which every create does, by reading those of all accounts.
drop index tasks_by_status;
create index tasks_by_status on tasks (lower(status), created_at desc, id desc);
