import type { Row } from '../platform/database-types.ts';
import { readRows, readValues } from '../platform/from-row.ts';
import { type Owner, ownedBy } from '../platform/owner-store.ts';
import type { Db } from '../platform/postgres.ts';

export interface SeriesBook {
  taskId: string;
  sourceSha256: string;
}

/** The books of a series that can be read; of those with the same source the newest. */
export async function seriesBooks(db: Db, owner: Owner, seriesId: string, limit: number): Promise<SeriesBook[]> {
  return await readRows<SeriesBook>(db)`
    select distinct on (source_sha256, char_limit, skip_front_matter) id as task_id, source_sha256 from tasks
    where ${ownedBy(owner)} and series_id = ${seriesId} and purged_at is null
      and exists (select from task_outputs o where o.task_id = tasks.id and o.file_id = 'reading')
    order by source_sha256, char_limit, skip_front_matter, created_at desc limit ${limit}`;
}

/** Those of some tasks whose text was removed, and of whose source no other task has it. */
export async function removedBooks(db: Db, taskIds: readonly string[]): Promise<Set<string>> {
  const listed = await readValues<Row<'tasks'>['id']>(db)`
    select id from tasks gone where id = any(${taskIds}::text[]) and purged_at is not null
      and not exists (select from tasks t where t.series_id = gone.series_id and t.source_sha256 = gone.source_sha256
        and t.purged_at is null)`;
  return new Set(listed);
}
