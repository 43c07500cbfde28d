-- What a preview has paid for stays with the segment, so that no restart forgets it and a cancelled task is credited too.
alter table checkpoints add column paid_characters bigint not null default 0;
alter table checkpoints add constraint checkpoints_paid_range check (paid_characters between 0 and characters);

-- The account's setting as it was when the task was created: its price does not change afterwards.
alter table tasks add column credit_previews boolean not null default false;
update tasks t set credit_previews = a.credit_previews from accounts a where a.id = t.account_id and t.status = 'pending';
