-- What the corrections of a series take counts in the account's storage, as those of a task do.
alter table memories add column corrected_bytes bigint not null default 0;
update memories set corrected_bytes = kept.bytes
from (select memory_id, sum(octet_length(target)) as bytes from memory_blocks where variant = 0 group by memory_id) kept
where memories.id = kept.memory_id;
create index memories_corrected on memories (account_id) include (corrected_bytes) where corrected_bytes > 0;
