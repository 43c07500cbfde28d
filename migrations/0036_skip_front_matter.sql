-- Whether the range that a char_limit leaves begins at the first chapter of prose.
alter table tasks add column skip_front_matter boolean not null default false;
