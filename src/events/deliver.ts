/** The worker's side of a webhook: send what is due, note what came of it, and decide what follows. */
import type { Platform } from '../platform/platform.ts';
import type { Trx } from '../platform/postgres.ts';
import type { DeliveryQueue, RunningDelivery } from '../platform/queue-deliveries.ts';
import { endDelivery, endPendingOf, findPending, insertAttempt, postpone } from './delivery-store.ts';
import { eventView } from './event.ts';
import { postWebhook } from './post-webhook.ts';
import { recordEvent } from './record-event.ts';
import {
  type DeliveryFault,
  type DeliveryResult,
  type DisabledReason,
  disabledBy,
  retryDelaySeconds,
  type Webhook,
} from './webhook.ts';
import { decryptSecret, signatureHeaders } from './webhook-secret.ts';
import { disableWebhook, findAnyWebhook, lockWebhook, noteHealth, readSecrets } from './webhook-store.ts';
import type { TargetPolicy } from './webhook-target.ts';

export interface DeliverDependencies extends Pick<Platform, 'db' | 'log'> {
  queue: Pick<DeliveryQueue, 'enqueueDelivery'>;
  secretKey: Buffer;
  policy: TargetPolicy;
  onAttempt: (outcome: DeliveryFault | 'delivered') => void;
}

/** One attempt. Throws only when it should be made again at once: nothing is noted then. */
export async function deliver(deps: DeliverDependencies, job: RunningDelivery): Promise<void> {
  const { db } = deps;
  const due = await findPending(db, job.deliveryId);
  if (!due) return await db.transaction().execute((trx) => job.complete(trx));
  const webhook = await findAnyWebhook(db, due.event.accountId, due.webhookId);
  if (!webhook.enabled) {
    return await db.transaction().execute(async (trx) => {
      await endDelivery(trx, job.deliveryId, 'failed');
      await job.complete(trx);
    });
  }
  const result = await sendEvent(deps, webhook, due.event, job.signal);
  deps.onAttempt(result.error ?? 'delivered');
  const disabled = await db.transaction().execute(async (trx) => {
    const reason = await noteResult(trx, deps, job.deliveryId, webhook, result);
    await job.complete(trx);
    return reason;
  });
  if (disabled !== undefined)
    deps.log.warn({ webhook: webhook.id, account: webhook.accountId, reason: disabled }, 'webhook disabled');
}

/** Signs and sends; the body of one event is the same every time. */
export async function sendEvent(
  { db, secretKey, policy }: Pick<DeliverDependencies, 'db' | 'secretKey' | 'policy'>,
  webhook: Webhook,
  event: Parameters<typeof eventView>[0],
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const secrets = (await readSecrets(db, webhook.id)).map((stored) => decryptSecret(stored, webhook.id, secretKey));
  const body = JSON.stringify(eventView(event));
  const message = { id: event.id, body, timestampSeconds: Math.floor(Date.now() / 1000) };
  return await postWebhook({ url: webhook.url, headers: signatureHeaders(message, secrets), body }, policy, signal);
}

/** Returns the reason when this attempt disabled the webhook. */
async function noteResult(
  trx: Trx,
  { queue }: DeliverDependencies,
  deliveryId: string,
  { id }: Webhook,
  result: DeliveryResult,
): Promise<DisabledReason | undefined> {
  // The webhook first, then deliveries: the request that disables it locks both, and in this order.
  const webhook = result.error === undefined ? undefined : await lockWebhook(trx, id);
  await noteHealth(trx, id, result.error === undefined);
  const attempts = await insertAttempt(trx, deliveryId, result);
  if (attempts === undefined) return undefined;
  if (webhook === undefined) {
    await endDelivery(trx, deliveryId, 'delivered');
    return undefined;
  }
  const reason = disabledBy(result, webhook.failingSince, new Date());
  if (reason !== undefined) {
    await endPendingOf(trx, id);
    if (!(await disableWebhook(trx, id, reason))) return undefined;
    const data = { webhook_id: id, url: webhook.url, reason };
    const { accountId, sandbox } = webhook;
    await recordEvent(trx, queue, { accountId, sandbox, type: 'webhook.disabled', data });
    return reason;
  }
  const delaySeconds = retryDelaySeconds(attempts, result.retryAfterSeconds, Math.random());
  if (delaySeconds === undefined) await endDelivery(trx, deliveryId, 'failed');
  else {
    await postpone(trx, deliveryId, delaySeconds);
    await queue.enqueueDelivery(trx, { deliveryId, webhookId: id, ahead: 0, failing: true, delaySeconds });
  }
  return undefined;
}
