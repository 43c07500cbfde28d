/** What a partner does with its webhooks. */
import { AppError, badField, badRequest } from '../errors.ts';
import { newId } from '../platform/ids.ts';
import { OwnerLimit } from '../platform/owner-limit.ts';
import type { Owner } from '../platform/owner-store.ts';
import type { Trx } from '../platform/postgres.ts';
import type { Secret } from '../secret.ts';
import { type DeliverDependencies, sendEvent } from './deliver.ts';
import { countDue, insertRedelivery } from './delivery-store.ts';
import {
  checkEventTypes,
  type DeliveryResult,
  maxDescriptionLength,
  maxWebhooksPerOwner,
  type Webhook,
} from './webhook.ts';
import { encryptSecret, newWebhookSecret } from './webhook-secret.ts';
import { findWebhook, insertWebhook, replaceSecret, updateWebhook } from './webhook-store.ts';
import { requireTarget } from './webhook-target.ts';

export type WebhookDependencies = Omit<DeliverDependencies, 'log' | 'onAttempt'>;

const lookUpTimeoutMs = 5_000;

/** The returned secret is shown now and never again. @throws BAD_REQUEST */
export async function createWebhook(
  { db, secretKey, policy }: WebhookDependencies,
  owner: Owner,
  wanted: { url: string; events: readonly string[]; description: string | undefined },
): Promise<{ webhook: Webhook; secret: Secret }> {
  const eventTypes = checkEventTypes(wanted.events);
  const description = checkDescription(wanted.description ?? '');
  await requireTarget(wanted.url, policy, AbortSignal.timeout(lookUpTimeoutMs));
  const id = newId('whk');
  const secret = newWebhookSecret();
  const encryptedSecret = encryptSecret(secret, id, secretKey);
  const wantedWebhook = { id, ...owner, url: wanted.url, description, eventTypes, encryptedSecret };
  const webhook = await db.transaction().execute((trx) => insertWebhook(trx, wantedWebhook, maxWebhooksPerOwner));
  if (!webhook)
    throw badField(
      'TOO_MANY_WEBHOOKS',
      `You have ${maxWebhooksPerOwner} webhooks, which is the most; delete one first.`,
    );
  return { webhook, secret };
}

/** @throws NOT_FOUND, BAD_REQUEST */
export async function changeWebhook(
  { db, policy }: WebhookDependencies,
  owner: Owner,
  id: string,
  changes: { url?: string; events?: readonly string[]; description?: string; enabled?: boolean },
): Promise<Webhook> {
  await findWebhook(db, owner, id);
  const { url, events, description, enabled } = changes;
  if (url !== undefined) await requireTarget(url, policy, AbortSignal.timeout(lookUpTimeoutMs));
  return await updateWebhook(db, owner, id, {
    ...{ url, enabled },
    eventTypes: events && checkEventTypes(events),
    description: description === undefined ? undefined : checkDescription(description),
  });
}

/** @throws NOT_FOUND */
export async function rotateSecret(
  { db, secretKey }: WebhookDependencies,
  owner: Owner,
  id: string,
): Promise<{ webhook: Webhook; secret: Secret }> {
  const secret = newWebhookSecret();
  return { webhook: await replaceSecret(db, owner, id, encryptSecret(secret, id, secretKey)), secret };
}

const testsAtOnce = 2;

/**
 * Sends `webhook.test` and waits for what comes back. An account has few of these under way: each keeps a request waiting.
 * @throws NOT_FOUND, RATE_LIMITED
 */
export function webhookTester(deps: WebhookDependencies): (owner: Owner, id: string) => Promise<DeliveryResult> {
  const limit = new OwnerLimit(testsAtOnce);
  return async (owner, id) => {
    const webhook = await findWebhook(deps.db, owner, id);
    const leave = await limit.take(owner.accountId, 0);
    if (leave === undefined)
      throw new AppError('RATE_LIMITED', 'Tests of your webhooks are still under way.', { retryAfterSeconds: 5 });
    const event = { id: newId('evt'), type: 'webhook.test', createdAt: new Date(), data: { webhook_id: id } };
    return await sendEvent(deps, webhook, event, new AbortController().signal).finally(leave);
  };
}

/** Sends an event once more, under the same `webhook-id`. @throws NOT_FOUND for the delivery, BAD_REQUEST when the webhook is disabled */
export async function redeliver(
  trx: Trx,
  queue: WebhookDependencies['queue'],
  { id: webhookId, accountId, enabled, failingSince }: Webhook,
  deliveryId: string,
): Promise<string> {
  if (!enabled) throw badField('WEBHOOK_DISABLED', 'The webhook is disabled; enable it first.');
  const ahead = await countDue(trx, accountId);
  const id = await insertRedelivery(trx, webhookId, deliveryId);
  await queue.enqueueDelivery(trx, { deliveryId: id, webhookId, ahead, failing: failingSince !== undefined });
  return id;
}

/** @throws BAD_REQUEST */
function checkDescription(description: string): string {
  if (description.length > maxDescriptionLength || /\p{Cc}/u.test(description))
    throw badRequest(`A description has up to ${maxDescriptionLength} characters on one line.`, {
      field: 'description',
    });
  return description;
}
