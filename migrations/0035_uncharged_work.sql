-- What engines were sent for a task, each character as often as it was sent.
alter table tasks add column sent_characters bigint not null default 0;
alter table tasks add constraint tasks_sent_range check (sent_characters >= 0);

-- The part of it that nobody pays for, because tasks were cancelled or failed: the last day with any, one row per account.
create table uncharged_work (
  account_id text not null references accounts (id),
  day date not null,
  characters bigint not null,
  constraint uncharged_work_pkey primary key (account_id),
  constraint uncharged_work_positive check (characters > 0)
);
