import { type RawBuilder, sql } from 'kysely';
import type { Columns, Row } from '../platform/database-types.ts';
import { type FromRow, readCount, readRow, readRows, readValue, readValues } from '../platform/from-row.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import type { Term } from '../term.ts';
import type { FoundForm, SeriesState } from '../translation/memory/series-terms.ts';
import { readSheet } from '../translation/sheet.ts';
import { type TermRows, termRows } from './term-rows.ts';

/** A term of a series, with where it comes from. */
export interface SeriesTerm extends Omit<Term, 'origin'> {
  origin: Row<'series_terms'>['origin'];
  firstTaskId: string | undefined;
}

/** What a run needs of a series. Undefined when the series is gone. */
export async function readSeriesState(db: Db, accountId: string, seriesId: string): Promise<SeriesState | undefined> {
  const series = await readRow<FromRow<Columns<'series', 'terms_version' | 'synopsis' | 'style' | 'sheet'>>>(db)`
    select terms_version, synopsis, style, sheet from series where id = ${seriesId} and account_id = ${accountId}`;
  if (series === undefined) return undefined;
  const terms = await readTerms(db, seriesId);
  const isFound = ({ origin }: SeriesTerm): boolean => origin === 'extracted';
  return {
    version: series.termsVersion,
    story: series.synopsis,
    style: series.style,
    sheet: readSheet(series.sheet),
    // To a run a corrected term is as good as a supplied one: a person decided on it.
    supplied: terms.filter((term) => !isFound(term)).map((term) => ({ ...term, origin: 'supplied', occurrences: 0 })),
    extracted: terms.filter(isFound).map((term) => ({ ...term, origin: 'extracted', occurrences: 0 })),
    found: await readFound(db, seriesId),
  };
}

async function readFound(db: Db, seriesId: string): Promise<FoundForm[]> {
  return await readValues<FoundForm>(db)`
    select ${foundJson} as form from series_found_terms f where series_id = ${seriesId} order by source`;
}

/**
 * `OrderedTerms` in JSON: nobody here looks into it, and there may be thousands.
 * @param glossaryJson the terms of the task itself
 */
export async function readOrderedTerms(db: Db, seriesId: string, glossaryJson: string): Promise<string> {
  const json = await readValue<string>(db)`
    with own as (
      select distinct entry ->> 'source' as source from jsonb_array_elements(${glossaryJson}::jsonb) entry
    ), known as (
      select t.*, origin <> 'extracted' as is_set from series_terms t
      where series_id = ${seriesId} and (origin <> 'extracted' or source in (select source from own))
    )
    select json_build_object(
      'supplied', (select coalesce(json_agg(${termJson} order by source), '[]') from known where is_set),
      'claimed', (select coalesce(json_agg(${termJson} order by source), '[]') from known where not is_set),
      'found', (select coalesce(json_agg(${foundJson} order by source), '[]') from series_found_terms f
        where series_id = ${seriesId} and (source in (select source from known) or source in (select source from own)))
    )::text`;
  return json as string;
}

const termJson = sql`json_strip_nulls(json_build_object('source', source, 'target', target, 'confidence', confidence, 'type', type,
  'gender', gender, 'aliases', aliases, 'occurrences', 0, 'origin', case when is_set then 'supplied' else 'extracted' end,
  'caseSensitive', case_sensitive, 'note', note))`;
const foundJson = sql`json_strip_nulls(json_build_object('source', f.source, 'target', f.target, 'aliases', f.aliases,
  'caseSensitive', f.case_sensitive))`;

/** All of them, by source. */
export async function readTerms(db: Db, seriesId: string): Promise<SeriesTerm[]> {
  return await readRows<SeriesTerm>(db)`
    select ${termColumns} from series_terms where series_id = ${seriesId} order by source`;
}

/** Locks the series until the transaction ends. Undefined when it is gone. */
export async function lockTermsVersion(trx: Trx, accountId: string, seriesId: string): Promise<number | undefined> {
  return await readValue<Row<'series'>['terms_version']>(trx)`
    select terms_version from series where id = ${seriesId} and account_id = ${accountId} for no key update`;
}

/**
 * Adds what a run settled on. What people decided stays, what was found before stays too, unless the task supplied it. The caller
 * has locked the series.
 */
export async function joinTerms(trx: Trx, seriesId: string, terms: readonly Term[], taskId: string): Promise<void> {
  const mayChange = sql`t.origin = 'extracted' and excluded.origin = 'supplied'`;
  await setTerms(trx, seriesId, termRows(terms), { taskId, mayChange });
}

/**
 * Sets terms by a person's word, which is their origin; the others stay, and so do those that are set to what they are. The caller has
 * locked the series.
 */
export async function putTerms(trx: Trx, seriesId: string, terms: TermRows): Promise<void> {
  await setTerms(trx, seriesId, terms, { taskId: undefined, mayChange: sql`true` });
}

/** Gives terms that are there the rendering of an editor. The caller has locked the series. */
export async function putNames(
  trx: Trx,
  seriesId: string,
  terms: readonly SeriesTerm[],
  names: readonly { source: string; target: string }[],
): Promise<void> {
  if (names.length === 0) return;
  const targets = new Map(names.map(({ source, target }) => [source, target]));
  const renamed = terms.flatMap((term) => {
    const target = targets.get(term.source);
    return target === undefined ? [] : [{ ...term, target, confidence: 1 }];
  });
  await putTerms(trx, seriesId, termRows(renamed, 'corrected'));
}

/** True when there was one. The caller has locked the series. */
export async function deleteTerm(trx: Trx, seriesId: string, source: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from series_terms where series_id = ${seriesId} and source = ${source}`.execute(trx);
  if (numAffectedRows !== 1n) return false;
  await raiseVersion(trx, seriesId);
  return true;
}

export async function listTerms(
  db: Db,
  seriesId: string,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<SeriesTerm[]> {
  return await readRows<SeriesTerm>(db)`
    select ${termColumns} from series_terms where series_id = ${seriesId} and source > ${after ?? ''}
    order by source limit ${limit}`;
}

export async function countTerms(trx: Trx, seriesId: string): Promise<number> {
  return await readCount(trx)`
    select count(*)::int as n from series_terms where series_id = ${seriesId}`;
}

/** The newest end of it: what is too long is cut off at its beginning. */
export async function addToStory(trx: Trx, seriesId: string, synopsis: string, maxCharacters: number): Promise<void> {
  await sql`
    update series set synopsis = right(case when synopsis = '' then ${synopsis} else synopsis || ' ' || ${synopsis} end, ${maxCharacters})
    where id = ${seriesId}`.execute(trx);
}

/** What was left out of a term stays as it is. Found terms are noted as such too. */
async function setTerms(
  trx: Trx,
  seriesId: string,
  { json }: TermRows,
  { taskId, mayChange }: { taskId: string | undefined; mayChange: RawBuilder<unknown> },
): Promise<void> {
  const { rows } = await sql`
    with sent as (
      select s.source, s.target, coalesce(s.type, t.type, 'other') as type, coalesce(s.gender, t.gender, 'unknown') as gender,
        case when s.aliases is null then coalesce(t.aliases, '{}') else array(select jsonb_array_elements_text(s.aliases)) end as aliases,
        coalesce(s.case_sensitive, t.case_sensitive) as case_sensitive, nullif(coalesce(s.note, t.note), '') as note, s.confidence,
        s.origin, s.occurrences
      from jsonb_to_recordset(${json}::jsonb) as s (source text, target text, type text, gender text, aliases jsonb,
        case_sensitive boolean, note text, confidence double precision, origin text, occurrences bigint)
      left join series_terms t on t.series_id = ${seriesId} and t.source = s.source
    ), written as (
      insert into series_terms as t (series_id, source, target, type, gender, aliases, case_sensitive, note, confidence, origin,
        occurrences, first_task_id)
      select ${seriesId}, source, target, type, gender, aliases, case_sensitive, note, confidence, origin, occurrences, ${taskId ?? null}
      from sent order by source
      on conflict (series_id, source) do update set target = excluded.target, type = excluded.type, gender = excluded.gender,
        aliases = excluded.aliases, case_sensitive = excluded.case_sensitive, note = excluded.note, confidence = excluded.confidence,
        origin = excluded.origin, occurrences = greatest(t.occurrences, excluded.occurrences)
      where ${mayChange} and ${meaningOf('t')} is distinct from ${meaningOf('excluded')}
      returning source, target, aliases, case_sensitive, origin
    ), noted as (
      insert into series_found_terms (series_id, source, target, aliases, case_sensitive)
      select ${seriesId}, source, target, aliases, case_sensitive from written where origin = 'extracted'
      on conflict (series_id, source) do update set target = excluded.target, aliases = excluded.aliases,
        case_sensitive = excluded.case_sensitive
    )
    select from written limit 1`.execute(trx);
  if (rows.length > 0) await raiseVersion(trx, seriesId);
}

/** What a term is to a reader of the text; the order of its other forms is nothing. */
function meaningOf(row: 't' | 'excluded'): RawBuilder<unknown> {
  const columns = `${row}.target, ${row}.type, ${row}.gender, ${row}.case_sensitive, ${row}.note`;
  return sql.raw(`(${columns}, array(select unnest(${row}.aliases) order by 1))`);
}

async function raiseVersion(trx: Trx, seriesId: string): Promise<void> {
  await sql`update series set terms_version = terms_version + 1 where id = ${seriesId}`.execute(trx);
}

const termColumns = sql`source, target, type, gender, aliases, case_sensitive, note, confidence, origin, first_task_id, occurrences`;
