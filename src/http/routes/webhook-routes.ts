import Type from 'typebox';
import { pageOfDeliveries } from '../../events/delivery-store.ts';
import { eventTypes } from '../../events/event.ts';
import {
  changeWebhook,
  createWebhook,
  redeliver,
  rotateSecret,
  type WebhookDependencies,
  webhookTester,
} from '../../events/manage-webhooks.ts';
import {
  type DeliveryStatus,
  deliveryFaults,
  deliveryStatuses,
  deliveryView,
  maxDescriptionLength,
  resultView,
  webhookView,
} from '../../events/webhook.ts';
import { deleteWebhook, findWebhook, listWebhooks } from '../../events/webhook-store.ts';
import { success } from '../envelope.ts';
import { callingOwner } from '../guard.ts';
import { answers, bodyErrors, created, operation, pageQuery } from '../schemas.ts';
import type { Server } from '../server.ts';
import { exact, optionalText, orNull, Timestamp, text } from '../shapes.ts';

const WebhookId = Type.Object({ webhook_id: Type.String() });

export function registerWebhookRoutes(server: Server, deps: WebhookDependencies): void {
  registerEndpoints(server, deps);
  registerDeliveries(server, deps);
}

function registerEndpoints(server: Server, deps: WebhookDependencies): void {
  server.post(
    '/webhooks',
    operation('Webhooks', 'createWebhook', 'Have events sent to an address of yours', {
      description:
        'Requests are signed as Standard Webhooks 1.0 says. The secret is shown in this answer only. An account has at most ten webhooks for its live keys, and ten for its test keys.',
      body: NewWebhook,
      response: created(WebhookWithSecret, 'The webhook with its secret.', ...bodyErrors),
    }),
    async (request, reply) => {
      const { url, events, description } = request.body;
      const { webhook, secret } = await createWebhook(deps, callingOwner(request), { url, events, description });
      return reply.status(201).send(success({ ...webhookView(webhook), secret: secret.reveal() }));
    },
  );

  server.get(
    '/webhooks',
    operation('Webhooks', 'listWebhooks', 'List your webhooks', {
      response: answers(WebhookList, 'The webhooks, oldest first.'),
    }),
    async (request) => {
      const webhooks = await listWebhooks(deps.db, callingOwner(request));
      return success({ webhooks: webhooks.map(webhookView) });
    },
  );

  server.get(
    '/webhooks/:webhook_id',
    operation('Webhooks', 'getWebhook', 'Show a webhook', {
      params: WebhookId,
      response: answers(WebhookSchema, 'The webhook.', 'NOT_FOUND'),
    }),
    async (request) =>
      success(webhookView(await findWebhook(deps.db, callingOwner(request), request.params.webhook_id))),
  );

  server.patch(
    '/webhooks/:webhook_id',
    operation('Webhooks', 'updateWebhook', 'Change a webhook', {
      description: 'Enabling one that was disabled forgets its failures.',
      params: WebhookId,
      body: WebhookChange,
      response: answers(WebhookSchema, 'The webhook as it is now.', ...bodyErrors, 'NOT_FOUND'),
    }),
    async (request) =>
      success(webhookView(await changeWebhook(deps, callingOwner(request), request.params.webhook_id, request.body))),
  );

  server.delete(
    '/webhooks/:webhook_id',
    operation('Webhooks', 'deleteWebhook', 'Delete a webhook and its deliveries', {
      params: WebhookId,
      response: answers(WebhookId, 'Nothing is sent there any more.', ...bodyErrors, 'NOT_FOUND'),
    }),
    async (request) => {
      const { webhook_id } = request.params;
      await deleteWebhook(deps.db, callingOwner(request), webhook_id);
      return success({ webhook_id });
    },
  );

  server.post(
    '/webhooks/:webhook_id/rotate-secret',
    operation('Webhooks', 'rotateWebhookSecret', 'Replace the secret', {
      description: 'The secret of before signs too for another 24 hours, so no delivery is refused meanwhile.',
      params: WebhookId,
      response: answers(WebhookWithSecret, 'The webhook with its new secret.', ...bodyErrors, 'NOT_FOUND'),
    }),
    async (request) => {
      const { webhook, secret } = await rotateSecret(deps, callingOwner(request), request.params.webhook_id);
      return success({ ...webhookView(webhook), secret: secret.reveal() });
    },
  );
}

function registerDeliveries(server: Server, deps: WebhookDependencies): void {
  const test = webhookTester(deps);
  server.post(
    '/webhooks/:webhook_id/test',
    operation('Webhooks', 'testWebhook', 'Send a test event now', {
      description: 'Sends an event of the type `webhook.test` and answers with what came back, within ten seconds.',
      params: WebhookId,
      response: answers(WebhookTest, 'What the endpoint answered.', ...bodyErrors, 'NOT_FOUND'),
    }),
    async (request) => {
      const result = await test(callingOwner(request), request.params.webhook_id);
      return success({ delivered: result.error === undefined, ...resultView(result) });
    },
  );

  server.get(
    '/webhooks/:webhook_id/deliveries',
    operation('Webhooks', 'listDeliveries', 'List the deliveries of the last 30 days, newest first', {
      params: WebhookId,
      querystring: exact({
        ...pageQuery,
        status: optionalText({ enum: [...deliveryStatuses] }),
      }),
      response: answers(DeliveryPage, 'A page of deliveries with their attempts.', 'NOT_FOUND'),
    }),
    async (request) => {
      const { limit = 20, cursor, status } = request.query;
      const webhook = await findWebhook(deps.db, callingOwner(request), request.params.webhook_id);
      const wanted = { limit, cursor, status: status as DeliveryStatus | undefined };
      const page = await pageOfDeliveries(deps.db, webhook, wanted);
      return success({ deliveries: page.deliveries.map(deliveryView), next_cursor: page.nextCursor });
    },
  );

  server.post(
    '/webhooks/:webhook_id/deliveries/:delivery_id/redeliver',
    operation('Webhooks', 'redeliver', 'Send an event once more', {
      params: Type.Object({ webhook_id: Type.String(), delivery_id: Type.String() }),
      response: answers(Redelivery, 'The new delivery.', ...bodyErrors, 'NOT_FOUND'),
    }),
    async (request) => {
      const { webhook_id, delivery_id } = request.params;
      const webhook = await findWebhook(deps.db, callingOwner(request), webhook_id);
      return success({
        delivery_id: await deps.db.transaction().execute((trx) => redeliver(trx, deps.queue, webhook, delivery_id)),
      });
    },
  );
}

/** The wire shapes of webhooks. */

const optionalTimestamp = orNull(Timestamp);

const EventTypes = Type.Array(Type.String({ enum: [...eventTypes] }), {
  minItems: 1,
  maxItems: eventTypes.length,
  description: 'The types to send.',
});

const WebhookSchema = Type.Object({
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

const WebhookWithSecret = Type.Object({
  ...WebhookSchema.properties,
  secret: text('`whsec_` + base64. Shown only now.'),
});

const WebhookList = Type.Object({ webhooks: Type.Array(WebhookSchema) });

const url = Type.String({ maxLength: 2_048, description: 'An https address that is reachable from the internet.' });
const description = Type.String({ maxLength: maxDescriptionLength, description: 'For yourself.' });

const NewWebhook = exact({ url, events: EventTypes, description: Type.Optional(description) });

const WebhookChange = exact(
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

const WebhookTest = Type.Object({ delivered: Type.Boolean(), ...outcome });

const DeliverySchema = Type.Object({
  delivery_id: Type.String(),
  event_id: Type.String(),
  event_type: Type.String({ enum: [...eventTypes] }),
  status: Type.String({ enum: [...deliveryStatuses] }),
  next_attempt_at: optionalTimestamp,
  created_at: Timestamp,
  attempts: Type.Array(Type.Object({ number: Type.Integer(), attempted_at: Timestamp, ...outcome })),
});

const DeliveryPage = Type.Object({
  deliveries: Type.Array(DeliverySchema),
  next_cursor: orNull(Type.String()),
});

const Redelivery = Type.Object({
  delivery_id: text('The new delivery of the same event, under the same `webhook-id`.'),
});
