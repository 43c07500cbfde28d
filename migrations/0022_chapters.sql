-- The chapters of a translation: what they are made of, and which are translated. Removed with the text of the task.

create table task_chapters (
  task_id text not null references tasks (id),
  -- From 1, in reading order.
  index integer not null,
  title text,
  characters bigint not null,
  -- Keys of the segments it is made of; ready when all of them are in checkpoints.
  segment_keys text[] not null,
  -- Where the translation of the title is: a segment, and the place in it.
  title_key text,
  title_place integer,
  -- The blocks with their source text and their places in segments: JSON, compressed.
  content bytea not null,
  ready_at timestamptz,
  primary key (task_id, index)
);
