-- Off by default: a full run is charged as specified, one credit per character. On: characters that the account already
-- paid for in a preview, and whose segments the full run takes over word for word, are not charged again.
alter table accounts add column credit_previews boolean not null default false;
