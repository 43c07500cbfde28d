import { sql } from 'kysely';
import { columnsOf, type RowOf, readRow, readRows } from '../platform/from-row.ts';
import { createdAtMicros, cursorOf, isBehind, type ListPlace, pageOf, placeAt } from '../platform/list-page-store.ts';
import { type Owner, ownedBy } from '../platform/owner-store.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import { deleteBlocksOf } from './memory-store.ts';
import { isSeriesId, type Series, type SeriesCounts, seriesNotFound } from './series.ts';

/** With its memory, which is empty. */
export async function insertSeries(trx: Trx, series: Omit<Series, 'createdAt'>): Promise<Series> {
  const created = await readRow<SeriesRow>(trx)`
    insert into series (id, account_id, sandbox, title, source_lang, target_lang, style, metadata)
    values (${series.id}, ${series.accountId}, ${series.sandbox}, ${series.title}, ${series.sourceLang ?? null},
      ${series.targetLang}, ${series.style ?? null}, ${JSON.stringify(series.metadata)})
    returning ${seriesColumns}`;
  await sql`
    insert into memories (account_id, sandbox, series_id) values (${series.accountId}, ${series.sandbox}, ${series.id})`.execute(
    trx,
  );
  return created as Series;
}

/** @throws NOT_FOUND, for another partner's too */
export async function findSeries(db: Db, owner: Owner, id: string): Promise<Series> {
  if (!isSeriesId(id)) throw seriesNotFound();
  const series = await readRow<SeriesRow>(db)`
    select ${seriesColumns} from series where id = ${id} and ${ownedBy(owner)}`;
  if (!series) throw seriesNotFound();
  return series;
}

export async function countsOf(db: Db, { id, accountId }: Series): Promise<SeriesCounts> {
  const counts = await readRow<SeriesCounts>(db)`
    select ${counted} from series left join memories m on m.series_id = series.id
    where series.id = ${id} and series.account_id = ${accountId}`;
  if (!counts) throw seriesNotFound();
  return counts;
}

/** Newest first. @throws BAD_REQUEST when the cursor is not one of ours */
export async function pageOfSeries(
  db: Db,
  owner: Owner,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<{ series: Series[]; nextCursor: string | null }> {
  const rows = await readRows<Series & ListPlace>(db)`
    select ${seriesColumns}, ${createdAtMicros} from series
    where ${ownedBy(owner)} and ${isBehind(placeAt(cursor, 'ser'))}
    order by created_at desc, id desc limit ${limit + 1}`;
  const { shown: series, nextCursor } = pageOf(rows, limit, cursorOf);
  return { series, nextCursor };
}

/** For operators: of all accounts or of one, with what they hold. */
export async function listAllSeries(
  db: Db,
  accountId: string | undefined,
): Promise<{ series: Series; counts: SeriesCounts; accountName: string }[]> {
  const rows = await readRows<Series & SeriesCounts & { accountName: string }>(db)`
    select ${seriesColumns}, a.name as account_name, ${counted}
    from series join accounts a on a.id = series.account_id left join memories m on m.series_id = series.id
    where ${accountId ?? null}::text is null or series.account_id = ${accountId ?? null}
    order by a.name, series.created_at desc, series.id`;
  return rows.map((row) => ({ series: row, counts: row, accountName: row.accountName }));
}

export interface SeriesChanges {
  title?: string | undefined;
  /** Null takes it away. */
  style?: string | null | undefined;
  metadata?: Record<string, string> | undefined;
}

/** @throws NOT_FOUND */
export async function updateSeries(
  db: Db,
  owner: Owner,
  id: string,
  { title, style, metadata }: SeriesChanges,
): Promise<Series> {
  if (!isSeriesId(id)) throw seriesNotFound();
  const series = await readRow<SeriesRow>(db)`
    update series set title = coalesce(${title ?? null}, title),
      style = case when ${style === undefined} then style else ${style ?? null} end,
      metadata = coalesce(${metadata === undefined ? null : JSON.stringify(metadata)}::jsonb, metadata)
    where id = ${id} and ${ownedBy(owner)} returning ${seriesColumns}`;
  if (!series) throw seriesNotFound();
  return series;
}

/** Takes its terms and its memory with it; its tasks stay. @throws NOT_FOUND */
export async function deleteSeries(db: Db, owner: Owner, id: string): Promise<void> {
  if (!isSeriesId(id)) throw seriesNotFound();
  await db.transaction().execute(async (trx) => {
    // Waits for a task that adds to its memory: what it adds is seen by the next statement.
    const { rows } = await sql`
      select from series where id = ${id} and ${ownedBy(owner)} for update`.execute(trx);
    if (rows.length === 0) throw seriesNotFound();
    await deleteBlocksOf(trx, id);
    await sql`delete from series where id = ${id}`.execute(trx);
  });
}

/** Of `series` and its memory `m`. */
const counted = sql`
  (select count(*) from tasks t where t.series_id = series.id and t.account_id = series.account_id) as tasks,
  (select count(*) from series_terms t where t.series_id = series.id) as terms,
  coalesce(m.blocks, 0)::bigint as remembered_paragraphs, coalesce(m.characters, 0)::bigint as remembered_characters`;

const seriesColumns = columnsOf(
  'series',
  'id account_id sandbox title source_lang target_lang style metadata created_at',
);
type SeriesRow = RowOf<typeof seriesColumns> & Pick<Series, 'metadata'>;
