import Type from 'typebox';
import {
  changeWebhook,
  createWebhook,
  pageOfDeliveries,
  redeliver,
  rotateSecret,
  type WebhookDependencies,
  webhookTester,
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
import { answers, bodyErrors, created, operation, pageQuery } from '../schemas.ts';
import type { Server } from '../server.ts';
import { exact, optionalText } from '../shapes.ts';

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
