-- What operators change: every change with who made it, and refunds as transfers of their own.
create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  -- Who: `command line (user)` or `console (address)`.
  actor text not null,
  -- What, such as `account.suspend`.
  action text not null,
  -- On what: the id of an account, a key, a task, an endpoint.
  subject text not null,
  account_id text references accounts (id),
  details jsonb not null default '{}'
);
create index audit_log_account on audit_log (account_id, id desc);
create index audit_log_subject on audit_log (subject, id desc);
create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();

-- A refund moves spent credits back to the available ones. It names no task in `task_id`, which belongs to the hold of a
-- task and its one end, but in a column of its own.
alter table credit_transfers add column reason text;
alter table credit_transfers add column refunded_task_id text references tasks (id);
alter table credit_transfers drop constraint credit_transfers_books;
alter table credit_transfers add constraint credit_transfers_books check ((kind, debit_book, credit_book) in (
  ('top_up', 'granted', 'available'),
  ('hold', 'available', 'reserved'),
  ('charge', 'reserved', 'spent'),
  ('release', 'reserved', 'available'),
  ('refund', 'spent', 'available')
));
alter table credit_transfers drop constraint credit_transfers_subject;
alter table credit_transfers add constraint credit_transfers_subject check (
  (kind in ('top_up', 'refund')) = (task_id is null)
  and (reference is null or kind in ('top_up', 'refund'))
  and (kind = 'refund') = (reason is not null)
  and (kind <> 'refund' or reference is not null)
  and (refunded_task_id is null or kind = 'refund')
);
create index credit_transfers_refunds on credit_transfers (refunded_task_id) where refunded_task_id is not null;
