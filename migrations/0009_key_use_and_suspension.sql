-- When a key was last used (kept to within half a minute), and whether the operator has suspended an account.
alter table api_keys add column last_used_at timestamptz;
alter table accounts add column suspended_at timestamptz;
alter table accounts add column suspended_reason text;
alter table accounts add constraint accounts_suspension_whole check (suspended_at is not null or suspended_reason is null);
