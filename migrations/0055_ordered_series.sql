-- A task in a series is carried out with the style and the terms that the series had when the task was ordered: its price is made with
-- them, and what is changed afterwards must not make work that nobody pays.
alter table tasks add column style text;
-- Terms that people had set, as a list; null outside of series, and for tasks from before this column.
alter table tasks add column ordered_terms jsonb;
-- The token_estimate whose quote binds for the task. A quote is good for one task.
alter table tasks add column quote_task_id text;
create unique index tasks_quote_once on tasks (quote_task_id) where quote_task_id is not null;
-- Why the estimate that the source comes from does not bind.
alter table tasks add column quote_void text;
alter table tasks add constraint tasks_quote_binds_or_not check (quote_task_id is null or quote_void is null);
