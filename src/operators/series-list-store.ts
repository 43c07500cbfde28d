import { sql } from 'kysely';
import { AppError } from '../errors.ts';
import { columnsOf, type RowOf, readRow, readRows } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';

const columns = columnsOf('series', 'id title account_id sandbox source_lang target_lang style created_at');
export type ListedSeries = RowOf<typeof columns> & { accountName: string };

/** Of all accounts, newest first. */
export async function recentSeries(
  db: Db,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<ListedSeries[]> {
  const older =
    before === undefined
      ? sql`true`
      : sql`(created_at, id) < (select b.created_at, b.id from series b where b.id = ${before})`;
  return await readRows<ListedSeries>(db)`
    select ${columns}, a.name as account_name
    from (select * from series where ${older} order by created_at desc, id desc limit ${limit}) series
    join accounts a on a.id = series.account_id order by series.created_at desc, series.id desc`;
}

const taskColumns = columnsOf('tasks', 'id file_name book_title status created_at');

export interface SeriesStory extends ListedSeries {
  tasks: RowOf<typeof taskColumns>[];
  /** In the order of their sources; one more than the limit when there are more. */
  terms: (Record<'source' | 'target' | 'type' | 'origin', string> & { occurrences: number })[];
}

/** @param after the source of the last term of the page before. @throws NOT_FOUND */
export async function tellSeries(
  db: Db,
  id: string,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<SeriesStory> {
  const series = await readRow<ListedSeries>(db)`
    select ${columns}, a.name as account_name from series join accounts a on a.id = series.account_id where series.id = ${id}`;
  if (!series) throw new AppError('NOT_FOUND', 'There is no such series.');
  const tasks = await readRows<SeriesStory['tasks'][number]>(db)`
    select ${taskColumns} from tasks
    where account_id = ${series.accountId} and series_id = ${id} order by created_at desc, id desc limit 20`;
  const terms = await readRows<SeriesStory['terms'][number]>(db)`
    select source, target, type, origin, occurrences from series_terms
    where series_id = ${id} and source > ${after ?? ''} order by source limit ${limit}`;
  return { ...series, tasks, terms };
}
