import { redeliver, type WebhookDependencies } from '../events/manage-webhooks.ts';
import { findAnyWebhook } from '../events/webhook-store.ts';
import { recordAudit } from './audit-store.ts';

/** Sends an event to a partner's webhook once more. @throws NOT_FOUND, BAD_REQUEST when the webhook is disabled */
export async function redeliverForAccount(
  { db, queue }: Pick<WebhookDependencies, 'db' | 'queue'>,
  actor: string,
  order: { accountId: string; webhookId: string; deliveryId: string },
): Promise<string> {
  const { accountId, webhookId, deliveryId } = order;
  return await db.transaction().execute(async (trx) => {
    const id = await redeliver(trx, queue, await findAnyWebhook(trx, accountId, webhookId), deliveryId);
    const details = { delivery: deliveryId };
    await recordAudit(trx, { actor, action: 'webhook.redeliver', subject: webhookId, accountId, details });
    return id;
  });
}
