-- The count of an account's pending tasks stops at a limit. Without an order the planner takes a scan of the whole table for
-- the shortest way there when most tasks are this account's, as if pending ones were spread evenly among them.
drop index tasks_pending;
create index tasks_pending on tasks (account_id, lane, id) where status = 'pending';
