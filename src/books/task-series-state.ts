/** What the worker answers when a book asks for its series. */
import type { Db } from '../platform/postgres.ts';
import { joinTerms, lockTermsVersion, readSeriesState } from '../series/term-store.ts';
import type { Task } from '../tasks/task.ts';
import type { SeriesState } from '../translation/memory/series-terms.ts';
import type { FrozenTerms } from './book-host.ts';
import type { BookWrites } from './book-writes.ts';

/** A series that was deleted under its task has no terms any more. */
export async function seriesOf(db: Db, { accountId, seriesId }: Task): Promise<SeriesState | undefined> {
  if (seriesId === undefined) return undefined;
  const gone: SeriesState = { version: 0, supplied: [], extracted: [], story: '', style: undefined };
  return (await readSeriesState(db, accountId, seriesId)) ?? gone;
}

/**
 * Terms join the series in the transaction that freezes them for the task.
 * @returns the series as it is now when its terms changed since `version`; nothing was saved then
 * @throws Fenced
 */
export async function freezeInSeries(
  db: Db,
  task: Task,
  writes: Pick<BookWrites, 'saveWithin'>,
  { version, terms, record }: FrozenTerms,
): Promise<SeriesState | undefined> {
  const { accountId, seriesId } = task;
  return await db.transaction().execute(async (trx) => {
    const current = seriesId === undefined ? undefined : await lockTermsVersion(trx, accountId, seriesId);
    if (seriesId !== undefined && current !== undefined) {
      if (current !== version) return await readSeriesState(trx, accountId, seriesId);
      await joinTerms(trx, seriesId, terms, task.id);
    }
    await writes.saveWithin(trx, record);
    return undefined;
  });
}
