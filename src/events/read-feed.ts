/** GET /events: an account's events in the one order they have, from a cursor on. */
import { badRequest } from '../errors.ts';
import type { Db } from '../platform/postgres.ts';
import { beginning, type Event, type EventType, placeOf, usualTypes } from './event.ts';
import { eventIdOf, newestPlace, readEvents } from './event-store.ts';

export interface FeedRequest {
  /** An event's id, `latest` for what comes from now on, or undefined for the oldest that is kept. */
  after: string | undefined;
  types: readonly EventType[] | undefined;
  limit: number;
}

export interface Feed {
  events: Event[];
  nextAfter: string;
}

/** @throws BAD_REQUEST when the cursor is not one of this account's */
export async function readFeed(db: Db, accountId: string, request: FeedRequest): Promise<Feed> {
  const { after, types = usualTypes, limit } = request;
  if (after === 'latest')
    return { events: [], nextAfter: await cursorAt(db, accountId, await newestPlace(db, accountId)) };
  const afterPlace = after === undefined ? 0 : await checkedPlace(db, accountId, after);
  const { events, lastPlace } = await readEvents(db, accountId, { afterPlace, types, limit });
  const last = events.at(-1);
  if (last?.place === lastPlace) return { events, nextAfter: last.id };
  if (lastPlace === afterPlace) return { events, nextAfter: after ?? beginning };
  return { events, nextAfter: await cursorAt(db, accountId, lastPlace) };
}

/** When the newest event has been removed for its age, so have all the others: the beginning is as good a cursor. */
async function cursorAt(db: Db, accountId: string, place: number): Promise<string> {
  return (await eventIdOf(db, accountId, place)) ?? beginning;
}

async function checkedPlace(db: Db, accountId: string, eventId: string): Promise<number> {
  const place = placeOf(eventId);
  if (place === 0 && eventId === beginning) return 0;
  if (place !== undefined && place > 0 && place <= (await newestPlace(db, accountId))) {
    const known = await eventIdOf(db, accountId, place);
    // Ids outlive their events: a reader may come back after more than the days that are kept.
    if (known === undefined || known === eventId) return place;
  }
  throw badRequest('There is no event with this id.', { field: 'after', reason: 'UNKNOWN_EVENT' });
}
