-- A link that an operator opened also works while the account is suspended.
alter table reader_links add column for_operator boolean not null default false;
