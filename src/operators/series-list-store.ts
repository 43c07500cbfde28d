import { sql } from 'kysely';
import { AppError } from '../errors.ts';
import { readRow, readRows } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';

export interface ListedSeries {
  id: string;
  title: string;
  accountId: string;
  accountName: string;
  sandbox: boolean;
  sourceLang: string | undefined;
  targetLang: string;
  style: string | undefined;
  createdAt: Date;
}

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
    select ${columns} from (select * from series where ${older} order by created_at desc, id desc limit ${limit}) s
    join accounts a on a.id = s.account_id order by s.created_at desc, s.id desc`;
}

export interface TermOfSeries {
  source: string;
  target: string;
  type: string;
  origin: string;
  occurrences: number;
}

export interface SeriesStory extends ListedSeries {
  tasks: { id: string; fileName: string; bookTitle: string | undefined; status: string; createdAt: Date }[];
  /** In the order of their sources; one more than the limit when there are more. */
  terms: TermOfSeries[];
}

/** @param after the source of the last term of the page before. @throws NOT_FOUND */
export async function tellSeries(
  db: Db,
  id: string,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<SeriesStory> {
  const series = await readRow<ListedSeries>(db)`
    select ${columns} from series s join accounts a on a.id = s.account_id where s.id = ${id}`;
  if (!series) throw new AppError('NOT_FOUND', 'There is no such series.');
  const tasks = await readRows<SeriesStory['tasks'][number]>(db)`
    select id, file_name, book_title, status, created_at from tasks
    where account_id = ${series.accountId} and series_id = ${id} order by created_at desc, id desc limit 20`;
  const terms = await readRows<TermOfSeries>(db)`
    select source, target, type, origin, occurrences from series_terms
    where series_id = ${id} and source > ${after ?? ''} order by source limit ${limit}`;
  return { ...series, tasks, terms };
}

const columns = sql.raw(
  's.id, s.title, s.account_id, a.name as account_name, s.sandbox, s.source_lang, s.target_lang, s.style, s.created_at',
);
