/** GET /events: an account's events in the one order they have, from a cursor on. */
import { badField } from '../errors.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Db } from '../platform/postgres.ts';
import { beginning, type EventType, placeOf, usualTypes } from './event.ts';
import { eventAt, lastPlace, newestPlace, readEvents } from './event-store.ts';

export interface FeedRequest {
  /** An event's id, `latest` for what comes from now on, or undefined for the oldest that is kept. */
  after: string | undefined;
  types: readonly EventType[] | undefined;
  limit: number;
}

/** @throws BAD_REQUEST when the cursor is not one of this owner's */
export async function readFeed(db: Db, owner: Owner, request: FeedRequest) {
  const { after, types = usualTypes, limit } = request;
  if (after === 'latest') return { events: [], nextAfter: await cursorAt(db, owner, await newestPlace(db, owner)) };
  const afterPlace = after === undefined ? 0 : await checkedPlace(db, owner, after);
  const { events, lastPlace: lookedAt } = await readEvents(db, owner, { afterPlace, types, limit });
  const last = events.at(-1);
  if (last?.place === lookedAt) return { events, nextAfter: last.id };
  if (lookedAt === afterPlace) return { events, nextAfter: after ?? beginning };
  return { events, nextAfter: await cursorAt(db, owner, lookedAt) };
}

/** When the newest event has been removed for its age, so have all the others: the beginning is as good a cursor. */
async function cursorAt(db: Db, { accountId }: Owner, place: number): Promise<string> {
  return (await eventAt(db, accountId, place))?.id ?? beginning;
}

async function checkedPlace(db: Db, { accountId, sandbox }: Owner, eventId: string): Promise<number> {
  const place = placeOf(eventId);
  if (place === 0 && eventId === beginning) return 0;
  if (place !== undefined && place > 0 && place <= (await lastPlace(db, accountId))) {
    const known = await eventAt(db, accountId, place);
    // Ids outlive their events: a reader may come back after more than the days that are kept.
    if (known === undefined || (known.id === eventId && known.sandbox === sandbox)) return place;
  }
  throw badField('UNKNOWN_EVENT', 'There is no event with this id.', 'after');
}
