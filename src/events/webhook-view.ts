/** How webhooks and deliveries are shown, to partners and to operators. */
import { wireFields } from '../wire-fields.ts';
import type { Delivery, DeliveryAttempt, DeliveryResult, Webhook } from './webhook.ts';

export function webhookView(webhook: Webhook) {
  return {
    webhook_id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    events: webhook.eventTypes,
    ...wireFields(webhook, 'enabled', 'disabledReason', 'failingSince', 'previousSecretUntil', 'createdAt'),
    ...(webhook.sandbox ? { livemode: false as const } : {}),
  };
}

export function resultView(result: DeliveryResult | DeliveryAttempt) {
  return wireFields(result, 'durationMs', 'statusCode', 'error', 'answer');
}

export function deliveryView(delivery: Delivery) {
  return {
    delivery_id: delivery.id,
    event_id: delivery.event.id,
    event_type: delivery.event.type,
    ...wireFields(delivery, 'status', 'nextAttemptAt', 'createdAt'),
    attempts: delivery.attempts.map((attempt) => ({
      ...wireFields(attempt, 'number', 'attemptedAt'),
      ...resultView(attempt),
    })),
  };
}
