-- Corrections of a series are matched outside of a transaction. The number tells whether others have corrected it meanwhile.
alter table memories add column corrections_version bigint not null default 0;
