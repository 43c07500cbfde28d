import Type from 'typebox';
import { badField } from '../../errors.ts';
import { type EventType, eventTypes, eventView } from '../../events/event.ts';
import { readFeed } from '../../events/read-feed.ts';
import type { Db } from '../../platform/postgres.ts';
import { isOneOf } from '../../written-values.ts';
import { success } from '../envelope.ts';
import { callingOwner } from '../guard.ts';
import { answers, operation } from '../schemas.ts';
import type { Server } from '../server.ts';
import { exact, optionalInteger, optionalText, Timestamp, text } from '../shapes.ts';

/** What happened to an account's tasks, credits and webhooks, in one order that never changes. */
export function registerEventRoutes(server: Server, db: Db): void {
  server.get(
    '/events',
    operation('Events', 'listEvents', 'Read events, oldest first', {
      description:
        'Each event is written together with what it tells of, and kept for 30 days. Keep `next_after` and send it as `after`: no event is passed over, also not one that was written while you read.',
      querystring: exact({
        after: optionalText({
          maxLength: 64,
          description: 'An event id, or `latest` for what comes from now on. Without it, from the oldest kept.',
        }),
        types: optionalText({
          maxLength: 500,
          description: `Comma-separated, of ${eventTypes.join(', ')}. Without it, all but task.chapter_ready.`,
        }),
        limit: optionalInteger({ minimum: 1, maximum: 100, default: 20 }),
      }),
      response: answers(EventPage, 'A page of events.'),
    }),
    async (request) => {
      const { after, types, limit = 20 } = request.query;
      const wanted = types === undefined || types === '' ? undefined : typesOf(types);
      const feed = await readFeed(db, callingOwner(request), { after: after || undefined, types: wanted, limit });
      return success({ events: feed.events.map(eventView), next_after: feed.nextAfter });
    },
  );
}

/** @throws BAD_REQUEST */
function typesOf(list: string): EventType[] {
  const names = list.split(',').map((name) => name.trim());
  if (names.every((name) => isOneOf(name, eventTypes))) return names as EventType[];
  throw badField('UNKNOWN_VALUE', '"types" lists known types of events.', 'types', eventTypes);
}

/** The wire shapes of events. */

const EventSchema = Type.Object({
  id: text('Also the `webhook-id` of its deliveries. Ids sort in the order of the feed.'),
  type: Type.String({ enum: [...eventTypes] }),
  created_at: Timestamp,
  data: Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'For task.* the task as GET /tasks/{task_id} shows it, without terms and metadata.',
    },
  ),
});

const EventPage = Type.Object({
  events: Type.Array(EventSchema),
  next_after: text('Send it as `after` to go on from here; there also when the page is empty.'),
});
