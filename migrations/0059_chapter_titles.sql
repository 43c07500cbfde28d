-- A title may be several headings, or partly known without a translation: a list of places in segments and of texts.
alter table task_chapters add column title_parts jsonb;
update task_chapters set title_parts = jsonb_build_array(jsonb_build_object('key', title_key, 'place', title_place))
where title_key is not null;
alter table task_chapters drop column title_key, drop column title_place;
