import { change, columnsOf, type RowOf, readRow } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';

const linkColumns = columnsOf('reader_links', 'id task_id key_id editable for_operator expires_at revoked_at');
/** One that is for the operator can be read while the account is suspended. */
export type ReaderLink = RowOf<typeof linkColumns>;

export async function insertReaderLink(db: Db, link: ReaderLink): Promise<void> {
  await change(db)`
    insert into reader_links (id, task_id, key_id, editable, for_operator, expires_at)
    values (${link.id}, ${link.taskId}, ${link.keyId}, ${link.editable}, ${link.forOperator}, ${link.expiresAt})`;
}

export async function findReaderLink(db: Db, id: string): Promise<ReaderLink | undefined> {
  return await readRow<ReaderLink>(db)`select ${linkColumns} from reader_links where id = ${id}`;
}

/**
 * Takes `cost` from what a link may ask for in a minute, if there is so much left. The method is GCRA, as for keys, by the database's
 * clock. A refused request has spent nothing.
 * @returns seconds until so much is left; undefined when it was taken
 */
export async function spendOfLink(
  db: Db,
  linkId: string,
  cost: number,
  limitPerMinute: number,
): Promise<number | undefined> {
  const seconds = (60 / limitPerMinute) * cost;
  const rate = await readRow<{ allowed: boolean; aheadSeconds: number }>(db)`
    insert into rate_limits as r (key_id, arrival_at, allowed)
    values (${linkId}, clock_timestamp() + make_interval(secs => ${seconds}), true)
    on conflict (key_id) do update set (arrival_at, allowed) = (
      select case when fits then next_at else r.arrival_at end, fits
      from (
        select next_at, next_at <= now_at + interval '60.0001 s' as fits
        from (
          select now_at, greatest(r.arrival_at, now_at) + make_interval(secs => ${seconds}) as next_at
          from (select clock_timestamp() as now_at) clock
        ) next
      ) room
    )
    returning allowed, extract(epoch from arrival_at - clock_timestamp())::float8 as ahead_seconds`;
  const { allowed = true, aheadSeconds = 0 } = rate ?? {};
  return allowed ? undefined : Math.max(1, Math.ceil(aheadSeconds + seconds - 60));
}

/** All links of a task, or one of them. Returns how many were live until now. */
export async function revokeReaderLinks(db: Db, taskId: string, linkId?: string): Promise<number> {
  return await change(db)`
    update reader_links set revoked_at = now()
    where task_id = ${taskId} and revoked_at is null and (${linkId ?? null}::text is null or id = ${linkId ?? null})`;
}
