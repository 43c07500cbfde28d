-- What a paragraph said before: an editor can look at it and take it back. The last ten of each paragraph are kept.
create table task_correction_history (
  task_id text not null references tasks (id),
  block_id text not null,
  saved_at timestamptz not null,
  text_key uuid not null,
  primary key (task_id, block_id, saved_at),
  constraint task_correction_history_text_fkey foreign key (task_id, text_key) references task_correction_texts (task_id, key)
);
create index task_correction_history_text on task_correction_history (task_id, text_key);
