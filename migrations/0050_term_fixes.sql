-- How a person who reads a book wants a name rendered: the entry of the term follows the paragraphs that were changed for it.
create table task_term_fixes (
  task_id text not null references tasks (id),
  source text not null,
  target text not null,
  created_at timestamptz not null default now(),
  primary key (task_id, source)
);
