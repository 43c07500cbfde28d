-- What operators found when they compared engines on a book: figures, verdicts and the passages to read. A few are kept.
create table evaluations (
  id bigint generated always as identity primary key,
  created_at timestamp with time zone default now() not null,
  result json not null
);
