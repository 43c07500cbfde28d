/** The account's events as they happen, for as long as the caller wants them. */
import { isRetryable } from './retry-delay.ts';
import { sleep } from './sleep.ts';
import type { CallOptions } from './transport.ts';
import type { Event, EventPage, EventType, ListEventsQuery } from './wire-types.ts';

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

const pageSize = 100;
/** The service may be away for this long, as when waiting for a task. */
const patienceMs = 300_000;

/** Ends only when the signal fires or the service stays away. @throws ApiError, or the signal's reason */
export async function* followEvents(
  read: (query: ListEventsQuery, options: CallOptions) => Promise<EventPage>,
  { after, types, intervalMs = 5_000, signal, onCursor }: FollowEventsOptions,
): AsyncGenerator<Event, never, undefined> {
  let awaySince: number | undefined;
  for (let cursor = after; ; ) {
    try {
      const page = await read(
        {
          limit: pageSize,
          ...(cursor === undefined ? {} : { after: cursor }),
          ...(types === undefined ? {} : { types: types.join() }),
        },
        { signal },
      );
      awaySince = undefined;
      cursor = page.next_after;
      yield* page.events;
      onCursor?.(cursor);
      if (page.events.length === pageSize) continue;
    } catch (error) {
      awaySince ??= Date.now();
      if (signal?.aborted || !isRetryable(error) || Date.now() - awaySince > patienceMs) throw error;
    }
    await sleep(intervalMs, signal);
  }
}
