-- What the console asks over all accounts.
-- By an expression that only the console uses: an index on the bare column would tempt the planner to read the whole table in
-- its order for the list of a single account.
create index tasks_by_age on tasks ((created_at at time zone 'UTC') desc, id desc);
create index tasks_by_status on tasks (status, created_at desc, id desc);
create index tasks_by_external_id on tasks (external_id, created_at desc) where external_id is not null;
create index tasks_failures on tasks (ended_at) include (error_code) where status = 'failed';
-- Segments are only ever added at the end, so a summary per range of pages is enough, and costs a write next to nothing.
create index checkpoints_by_age on checkpoints using brin (created_at) with (pages_per_range = 16);
create index accounts_by_age on accounts (created_at desc, id desc);
create index accounts_by_name on accounts (name_key text_pattern_ops);
create index webhook_deliveries_by_age on webhook_deliveries (created_at desc, id desc);
create index webhook_deliveries_by_status on webhook_deliveries (status, created_at desc, id desc);
