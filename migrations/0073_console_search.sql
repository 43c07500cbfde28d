-- The title that a book names itself; it goes with the text of the task.
alter table tasks add column book_title text constraint tasks_book_title_bounded check (char_length(book_title) <= 300);

-- What operators look for by its beginning.
drop index tasks_by_external_id;
create index tasks_by_external_id on tasks (external_id text_pattern_ops, created_at desc) where external_id is not null;
create index tasks_by_file_name on tasks (lower(file_name) text_pattern_ops);
create index series_by_age on series (created_at desc, id desc);
