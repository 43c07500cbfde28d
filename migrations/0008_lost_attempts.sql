-- Attempts in a row whose worker vanished without a word and without progress. A task that kills its workers would
-- otherwise be taken again for ever, and every other task with it.
alter table tasks add column lost_attempts integer not null default 0;
