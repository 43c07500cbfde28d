-- What an engine may spend in a day is used up: it waits for the next one.
alter table engine_states add column over_budget boolean not null default false;
