import Type from 'typebox';
import {
  changeWebhook,
  createWebhook,
  pageOfDeliveries,
  redeliver,
  rotateSecret,
  type WebhookDependencies,
  WebhookTester,
} from '../../events/manage-webhooks.ts';
import { type DeliveryStatus, deliveryStatuses } from '../../events/webhook.ts';
import { deleteWebhook, findWebhook, listWebhooks } from '../../events/webhook-store.ts';
import { deliveryView, resultView, webhookView } from '../../events/webhook-view.ts';
import { success } from '../envelope.ts';
import {
  DeliveryPage,
  NewWebhook,
  Redelivery,
  WebhookChange,
  WebhookList,
  WebhookSchema,
  WebhookTest,
  WebhookWithSecret,
} from '../event-schemas.ts';
import { callingOwner } from '../guard.ts';
import { answers, envelope, errorResponses, guardErrors } from '../schemas.ts';
import type { Server } from '../server.ts';

const WebhookId = Type.Object({ webhook_id: Type.String() });
const bodyErrors = [...guardErrors, 'UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE'] as const;

export function registerWebhookRoutes(server: Server, deps: WebhookDependencies): void {
  registerEndpoints(server, deps);
  registerDeliveries(server, deps);
}

function registerEndpoints(server: Server, deps: WebhookDependencies): void {
  server.post(
    '/webhooks',
    {
      schema: {
        operationId: 'createWebhook',
        tags: ['Webhooks'],
        summary: 'Have events sent to an address of yours',
        description:
          'Requests are signed as Standard Webhooks 1.0 says. The secret is shown in this answer only. An account has at most ten webhooks for its live keys, and ten for its test keys.',
        body: NewWebhook,
        response: {
          201: { ...envelope(WebhookWithSecret), description: 'The webhook with its secret.' },
          ...errorResponses(...bodyErrors),
        },
      },
    },
    async (request, reply) => {
      const { url, events, description } = request.body;
      const { webhook, secret } = await createWebhook(deps, callingOwner(request), { url, events, description });
      return reply.status(201).send(success({ ...webhookView(webhook), secret: secret.reveal() }));
    },
  );

  server.get(
    '/webhooks',
    {
      schema: {
        operationId: 'listWebhooks',
        tags: ['Webhooks'],
        summary: 'List your webhooks',
        response: answers(WebhookList, 'The webhooks, oldest first.'),
      },
    },
    async (request) => {
      const webhooks = await listWebhooks(deps.db, callingOwner(request));
      return success({ webhooks: webhooks.map(webhookView) });
    },
  );

  server.get(
    '/webhooks/:webhook_id',
    {
      schema: {
        operationId: 'getWebhook',
        tags: ['Webhooks'],
        summary: 'Show a webhook',
        params: WebhookId,
        response: answers(WebhookSchema, 'The webhook.', 'NOT_FOUND'),
      },
    },
    async (request) =>
      success(webhookView(await findWebhook(deps.db, callingOwner(request), request.params.webhook_id))),
  );

  server.patch(
    '/webhooks/:webhook_id',
    {
      schema: {
        operationId: 'updateWebhook',
        tags: ['Webhooks'],
        summary: 'Change a webhook',
        description: 'Enabling one that was disabled forgets its failures.',
        params: WebhookId,
        body: WebhookChange,
        response: {
          200: { ...envelope(WebhookSchema), description: 'The webhook as it is now.' },
          ...errorResponses(...bodyErrors, 'NOT_FOUND'),
        },
      },
    },
    async (request) =>
      success(webhookView(await changeWebhook(deps, callingOwner(request), request.params.webhook_id, request.body))),
  );

  server.delete(
    '/webhooks/:webhook_id',
    {
      schema: {
        operationId: 'deleteWebhook',
        tags: ['Webhooks'],
        summary: 'Delete a webhook and its deliveries',
        params: WebhookId,
        response: {
          200: {
            ...envelope(Type.Object({ webhook_id: Type.String() })),
            description: 'Nothing is sent there any more.',
          },
          ...errorResponses(...bodyErrors, 'NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const { webhook_id } = request.params;
      await deleteWebhook(deps.db, callingOwner(request), webhook_id);
      return success({ webhook_id });
    },
  );

  server.post(
    '/webhooks/:webhook_id/rotate-secret',
    {
      schema: {
        operationId: 'rotateWebhookSecret',
        tags: ['Webhooks'],
        summary: 'Replace the secret',
        description: 'The secret of before signs too for another 24 hours, so no delivery is refused meanwhile.',
        params: WebhookId,
        response: {
          200: { ...envelope(WebhookWithSecret), description: 'The webhook with its new secret.' },
          ...errorResponses(...bodyErrors, 'NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const { webhook, secret } = await rotateSecret(deps, callingOwner(request), request.params.webhook_id);
      return success({ ...webhookView(webhook), secret: secret.reveal() });
    },
  );
}

function registerDeliveries(server: Server, deps: WebhookDependencies): void {
  const tester = new WebhookTester(deps);
  server.post(
    '/webhooks/:webhook_id/test',
    {
      schema: {
        operationId: 'testWebhook',
        tags: ['Webhooks'],
        summary: 'Send a test event now',
        description: 'Sends an event of the type `webhook.test` and answers with what came back, within ten seconds.',
        params: WebhookId,
        response: {
          200: { ...envelope(WebhookTest), description: 'What the endpoint answered.' },
          ...errorResponses(...bodyErrors, 'NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const result = await tester.test(callingOwner(request), request.params.webhook_id, new AbortController().signal);
      return success({ delivered: result.error === undefined, ...resultView(result) });
    },
  );

  server.get(
    '/webhooks/:webhook_id/deliveries',
    {
      schema: {
        operationId: 'listDeliveries',
        tags: ['Webhooks'],
        summary: 'List the deliveries of the last 30 days, newest first',
        params: WebhookId,
        querystring: Type.Object(
          {
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
            cursor: Type.Optional(Type.String({ description: 'From `next_cursor` of the page before.' })),
            status: Type.Optional(Type.String({ enum: [...deliveryStatuses] })),
          },
          { additionalProperties: false },
        ),
        response: answers(DeliveryPage, 'A page of deliveries with their attempts.', 'NOT_FOUND'),
      },
    },
    async (request) => {
      const { limit = 20, cursor, status } = request.query;
      const webhook = await findWebhook(deps.db, callingOwner(request), request.params.webhook_id);
      const page = await pageOfDeliveries(deps.db, webhook, {
        limit,
        cursor,
        status: status as DeliveryStatus | undefined,
      });
      return success({ deliveries: page.deliveries.map(deliveryView), next_cursor: page.nextCursor });
    },
  );

  server.post(
    '/webhooks/:webhook_id/deliveries/:delivery_id/redeliver',
    {
      schema: {
        operationId: 'redeliver',
        tags: ['Webhooks'],
        summary: 'Send an event once more',
        params: Type.Object({ webhook_id: Type.String(), delivery_id: Type.String() }),
        response: {
          200: { ...envelope(Redelivery), description: 'The new delivery.' },
          ...errorResponses(...bodyErrors, 'NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const { webhook_id, delivery_id } = request.params;
      const webhook = await findWebhook(deps.db, callingOwner(request), webhook_id);
      return success({
        delivery_id: await deps.db.transaction().execute((trx) => redeliver(trx, deps.queue, webhook, delivery_id)),
      });
    },
  );
}
