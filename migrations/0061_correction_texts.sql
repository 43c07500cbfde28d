-- One correction of a line that stands in ten thousand places is kept once, and counts in the account's storage.
create table task_correction_texts (
  task_id text not null references tasks (id),
  key uuid not null,
  target text not null,
  primary key (task_id, key)
);
insert into task_correction_texts (task_id, key, target)
select distinct task_id, substr(encode(sha256(convert_to(target, 'UTF8')), 'hex'), 1, 32)::uuid, target from task_corrections;

alter table task_corrections add column text_key uuid;
update task_corrections set text_key = substr(encode(sha256(convert_to(target, 'UTF8')), 'hex'), 1, 32)::uuid;
alter table task_corrections alter column text_key set not null, drop column source, drop column target,
  add constraint task_corrections_text_fkey foreign key (task_id, text_key) references task_correction_texts (task_id, key);
create index task_corrections_text on task_corrections (task_id, text_key);

-- Changes with every change of a task's corrections: what was judged by an earlier one is judged again.
alter table tasks add column corrections_version bigint not null default 0;
update tasks set stored_bytes = stored_bytes + kept.bytes
from (select task_id, sum(octet_length(target)) as bytes from task_correction_texts group by task_id) kept
where tasks.id = kept.task_id and tasks.purged_at is null;
