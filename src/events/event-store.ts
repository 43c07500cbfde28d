import { sql } from 'kysely';
import { change, readCount, readRow, readRows } from '../platform/from-row.ts';
import { type Owner, ownedBy } from '../platform/owner-store.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import { type Event, type EventType, eventIdAt, type NewEvent } from './event.ts';

/**
 * Appends to the account's feed. The counter is locked until the transaction ends; that is what makes the order of the
 * numbers the order in which events become visible. Write events last, so that it is not long.
 */
export async function insertEvent(trx: Trx, event: NewEvent): Promise<Event> {
  const place = await readCount(trx)`
    insert into event_counters as c (account_id, last) values (${event.accountId}, 1)
    on conflict (account_id) do update set last = c.last + 1 returning last`;
  // By the clock, so that times are in the order of the places: a transaction may have begun long before its event.
  const written = await readRow<Event>(trx)`
    insert into events (account_id, sandbox, place, id, type, task_id, chapter, data, created_at)
    values (${event.accountId}, ${event.sandbox}, ${place}, ${eventIdAt(place)}, ${event.type}, ${event.taskId ?? null}, ${event.chapter ?? null},
      ${JSON.stringify(event.data)}::json, clock_timestamp())
    returning ${eventColumns}`;
  return written as Event;
}

/** Events behind a place, oldest first. */
export async function readEvents(
  db: Db,
  owner: Owner,
  page: { afterPlace: number; types: readonly EventType[]; limit: number },
) {
  // The newest place first: an event that commits between the two statements is left to the next page, not passed.
  const newest = await newestPlace(db, owner);
  const events = await readRows<Event>(db)`
    select ${eventColumns} from events
    where ${ownedBy(owner)} and place > ${page.afterPlace} and place <= ${newest} and type = any(${page.types})
    order by place limit ${page.limit}`;
  const full = events.length === page.limit;
  return {
    events,
    /** The last place that was looked at, whether its event was wanted or not. */
    lastPlace: full ? (events.at(-1)?.place ?? newest) : Math.max(newest, page.afterPlace),
  };
}

/** The place of the owner's newest event; 0 when there is none that is kept. */
export async function newestPlace(db: Db, owner: Owner): Promise<number> {
  return await readCount(db)`
    select place from events where ${ownedBy(owner)} order by place desc limit 1`;
}

/** The last place that was given to an event of the account, of live keys or of test keys: they are counted together. */
export async function lastPlace(db: Db, accountId: string): Promise<number> {
  return await readCount(db)`
    select last from event_counters where account_id = ${accountId}`;
}

/** The event at a place; undefined when it was removed, or never was. */
export async function eventAt(
  db: Db,
  accountId: string,
  place: number,
): Promise<Pick<Event, 'id' | 'sandbox'> | undefined> {
  return await readRow<Pick<Event, 'id' | 'sandbox'>>(db)`
    select id, sandbox from events where account_id = ${accountId} and place = ${place}`;
}

/** Takes deliveries and attempts with them. Returns how many there were, at most `limit`. */
export async function deleteOldEvents(db: Db, days: number, limit: number): Promise<number> {
  return await change(db)`
    delete from events where id in (
      select id from events where created_at < now() - make_interval(days => ${days}) order by created_at limit ${limit}
    )`;
}

export const eventColumns = sql`events.account_id, events.sandbox, events.place, events.id, events.type, events.data, events.created_at`;
