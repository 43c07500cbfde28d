-- Reports go through accounts by their names as they are shown, and stop when a page is full.
create index accounts_by_shown_name on accounts (name, id);
