-- A sandbox key and a live key may use the same Idempotency-Key: neither is answered with the other's task.
alter table idempotency_keys add column mode text;
update idempotency_keys k set mode = case when t.sandbox then 'test' else 'live' end from tasks t where t.id = k.task_id;
alter table idempotency_keys alter column mode set not null, alter column mode set default 'live';
alter table idempotency_keys add constraint idempotency_keys_mode_known check (mode in ('live', 'test'));
alter table idempotency_keys drop constraint idempotency_keys_pkey;
alter table idempotency_keys add constraint idempotency_keys_pkey primary key (account_id, mode, key);
