-- What the partner wants the translator to know, beside `style`, which a task may have of its own now.
alter table tasks add column context text;
alter table tasks add constraint tasks_style_bounded check (char_length(style) <= 2000);
alter table tasks add constraint tasks_context_bounded check (char_length(context) <= 4000);
