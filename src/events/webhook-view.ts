/** How webhooks and deliveries are shown, to partners and to operators. */
import type { Delivery, DeliveryAttempt, DeliveryResult, Webhook } from './webhook.ts';

export function webhookView(webhook: Webhook) {
  return {
    webhook_id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    events: webhook.eventTypes,
    enabled: webhook.enabled,
    disabled_reason: webhook.disabledReason ?? null,
    failing_since: webhook.failingSince?.toISOString() ?? null,
    previous_secret_until: webhook.previousSecretUntil?.toISOString() ?? null,
    created_at: webhook.createdAt.toISOString(),
    ...(webhook.sandbox ? { livemode: false as const } : {}),
  };
}

export function resultView(result: DeliveryResult | DeliveryAttempt) {
  return {
    duration_ms: result.durationMs,
    status_code: result.statusCode ?? null,
    error: result.error ?? null,
    answer: result.answer ?? null,
  };
}

export function deliveryView(delivery: Delivery) {
  return {
    delivery_id: delivery.id,
    event_id: delivery.event.id,
    event_type: delivery.event.type,
    status: delivery.status,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    created_at: delivery.createdAt.toISOString(),
    attempts: delivery.attempts.map((attempt) => ({
      number: attempt.number,
      attempted_at: attempt.attemptedAt.toISOString(),
      ...resultView(attempt),
    })),
  };
}
