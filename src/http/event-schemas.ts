/** The wire shapes of events and webhooks. */
import Type from 'typebox';
import { eventTypes } from '../events/event.ts';
import { deliveryFaults, deliveryStatuses, maxDescriptionLength } from '../events/webhook.ts';
import { exact, orNull, Timestamp, text } from './shapes.ts';

const optionalTimestamp = orNull(Timestamp);

export const EventSchema = Type.Object({
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

export const EventPage = Type.Object({
  events: Type.Array(EventSchema),
  next_after: text('Send it as `after` to go on from here; there also when the page is empty.'),
});

const EventTypes = Type.Array(Type.String({ enum: [...eventTypes] }), {
  minItems: 1,
  maxItems: eventTypes.length,
  description: 'The types to send.',
});

export const WebhookSchema = Type.Object({
  webhook_id: Type.String(),
  url: Type.String(),
  description: Type.String(),
  events: EventTypes,
  enabled: Type.Boolean(),
  disabled_reason: orNull(
    Type.String({ enum: ['gone', 'failing'] }),
    'Why we gave up on it: it answered 410, or five days of nothing but failure.',
  ),
  failing_since: optionalTimestamp,
  previous_secret_until: orNull(Timestamp, 'Until then the secret from before the last rotation signs too.'),
  created_at: Timestamp,
  livemode: Type.Optional(Type.Literal(false, { description: 'Only on webhooks of a test key.' })),
});

export const WebhookWithSecret = Type.Object({
  ...WebhookSchema.properties,
  secret: text('`whsec_` + base64. Shown only now.'),
});

export const WebhookList = Type.Object({ webhooks: Type.Array(WebhookSchema) });

const url = Type.String({ maxLength: 2_048, description: 'An https address that is reachable from the internet.' });
const description = Type.String({ maxLength: maxDescriptionLength, description: 'For yourself.' });

export const NewWebhook = exact({ url, events: EventTypes, description: Type.Optional(description) });

export const WebhookChange = exact(
  {
    url: Type.Optional(url),
    events: Type.Optional(EventTypes),
    description: Type.Optional(description),
    enabled: Type.Optional(Type.Boolean({ description: 'Disabling gives up what is still to be delivered.' })),
  },
  { minProperties: 1 },
);

const outcome = {
  duration_ms: Type.Integer(),
  status_code: orNull(Type.Integer()),
  error: orNull(Type.String({ enum: [...deliveryFaults] }), 'Null when the endpoint accepted with a 2xx answer.'),
  answer: orNull(Type.String(), 'The first 1 KB of the answer.'),
};

export const WebhookTest = Type.Object({ delivered: Type.Boolean(), ...outcome });

export const DeliverySchema = Type.Object({
  delivery_id: Type.String(),
  event_id: Type.String(),
  event_type: Type.String({ enum: [...eventTypes] }),
  status: Type.String({ enum: [...deliveryStatuses] }),
  next_attempt_at: optionalTimestamp,
  created_at: Timestamp,
  attempts: Type.Array(Type.Object({ number: Type.Integer(), attempted_at: Timestamp, ...outcome })),
});

export const DeliveryPage = Type.Object({
  deliveries: Type.Array(DeliverySchema),
  next_cursor: orNull(Type.String()),
});

export const Redelivery = Type.Object({
  delivery_id: text('The new delivery of the same event, under the same `webhook-id`.'),
});
