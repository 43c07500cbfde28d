-- What worker processes have taken of an engine's budget of a day, spent or not: together they never pass it.
create table engine_reservations (
  engine text not null,
  day date not null,
  reserved numeric not null,
  -- What the last statement took; it is how the statement tells.
  granted numeric not null,
  primary key (engine, day)
);
