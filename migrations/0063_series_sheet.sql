-- What the volumes of a series, or its partner, have settled about how it is translated.
alter table series add column sheet jsonb;
alter table series add constraint series_sheet_bounded check (octet_length(sheet::text) <= 65536);
