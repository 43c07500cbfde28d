-- What the volumes of a series were translated with before a person set a term, and stays when the term is removed: terms are
-- compared with it, so that a name put back as it was found makes no paragraph new.
create table series_found_terms (
  series_id text not null references series (id) on delete cascade,
  source text not null,
  target text not null,
  aliases text[] not null,
  case_sensitive boolean,
  constraint series_found_terms_pkey primary key (series_id, source)
);
insert into series_found_terms (series_id, source, target, aliases, case_sensitive)
select series_id, source, target, aliases, case_sensitive from series_terms where origin = 'extracted';
