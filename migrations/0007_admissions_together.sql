-- Requests that arrive together are admitted by one statement: how many of them were. `allowed` stays for processes of the
-- version before, which may still run while this one is rolled out.
alter table rate_limits add column granted integer not null default 0;
