/** A partner's endpoint, what is sent to it, and the rules of trying again. */

import { badField } from '../errors.ts';
import type { Owner } from '../platform/owner-store.ts';
import { wireFields } from '../wire-fields.ts';
import { isOneOf } from '../written-values.ts';
import { type Event, type EventType, eventTypes } from './event.ts';

/** Of an account's live keys, and as many of its test keys. */
export const maxWebhooksPerOwner = 10;
/** Requests under way to one endpoint at any time, over all processes. */
export const maxInFlightPerWebhook = 4;
/** How long both secrets sign after a rotation. */
export const rotationOverlapHours = 24;
export const maxDescriptionLength = 200;

export type DisabledReason = 'gone' | 'failing';

export interface Webhook extends Owner {
  id: string;
  url: string;
  description: string;
  eventTypes: EventType[];
  enabled: boolean;
  disabledReason: DisabledReason | undefined;
  failingSince: Date | undefined;
  previousSecretUntil: Date | undefined;
  createdAt: Date;
}

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export interface Delivery {
  id: string;
  webhookId: string;
  event: Pick<Event, 'id' | 'type'>;
  status: DeliveryStatus;
  attempts: DeliveryAttempt[];
  nextAttemptAt: Date | undefined;
  createdAt: Date;
}

/** What one request to an endpoint came to. */
export interface DeliveryResult {
  durationMs: number;
  statusCode: number | undefined;
  /** Undefined when the endpoint accepted. */
  error: DeliveryFault | undefined;
  /** The first 1 KB of the answer. */
  answer: string | undefined;
  retryAfterSeconds: number | undefined;
}

export interface DeliveryAttempt extends Omit<DeliveryResult, 'retryAfterSeconds'> {
  number: number;
  attemptedAt: Date;
}

export const deliveryFaults = [
  'status',
  'redirect',
  'timeout',
  'connection',
  'tls',
  'malformed_answer',
  'host_not_found',
  'address_not_allowed',
  'url_not_allowed',
] as const;
export type DeliveryFault = (typeof deliveryFaults)[number];

const minute = 60;
const hour = 60 * minute;
/** Seconds from one attempt to the next: ten attempts over a good three days. */
const retrySchedule = [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
/** A fifth at most, so that what failed together does not come back together. */
const jitter = 0.2;
const longestWaitSeconds = 24 * hour;

/** Seconds until the next attempt; undefined when there is none. @param attempts made so far, at least 1 */
export function retryDelaySeconds(
  attempts: number,
  retryAfterSeconds: number | undefined,
  random: number,
): number | undefined {
  const planned = retrySchedule[attempts - 1];
  if (planned === undefined) return undefined;
  const asked = Math.min(retryAfterSeconds ?? 0, longestWaitSeconds);
  return Math.max(planned * (1 + jitter * random), asked);
}

const failingDays = 5;

/** Whether a failure is the end of the endpoint, and why. @param failingSince before this failure */
export function disabledBy(
  result: DeliveryResult,
  failingSince: Date | undefined,
  now: Date,
): DisabledReason | undefined {
  if (result.statusCode === 410) return 'gone';
  const failingMs = failingSince === undefined ? 0 : now.getTime() - failingSince.getTime();
  return failingMs >= failingDays * 24 * hour * 1000 ? 'failing' : undefined;
}

/** @throws BAD_REQUEST */
export function checkEventTypes(names: readonly string[]): EventType[] {
  const unknown = names.find((name) => !isOneOf(name, eventTypes));
  if (unknown !== undefined || names.length === 0)
    throw badField(
      'UNKNOWN_VALUE',
      '"events" lists at least one type of event, and only known ones.',
      'events',
      eventTypes,
    );
  return [...new Set(names)] as EventType[];
}

/** To partners and to operators. */
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
