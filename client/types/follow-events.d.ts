import type { CallOptions } from './transport.js';
import type { Event, EventPage, EventType, ListEventsQuery } from './wire-types.js';
export interface FollowEventsOptions extends CallOptions {
    /** The id of the last event you have seen, or `latest`; without it, from the oldest that is kept. */
    after?: string;
    /** Without it, all but task.chapter_ready. */
    types?: readonly EventType[];
    /** Wait between two polls when there is nothing new; default 5 s. */
    intervalMs?: number;
    /** Called after every page, also an empty one, with the cursor to continue from later. */
    onCursor?: (nextAfter: string) => void;
}
/** Ends only when the signal fires or the service stays away. @throws ApiError, or the signal's reason */
export declare function followEvents(read: (query: ListEventsQuery, options: CallOptions) => Promise<EventPage>, { after, types, intervalMs, signal, onCursor }: FollowEventsOptions): AsyncGenerator<Event, never, undefined>;
