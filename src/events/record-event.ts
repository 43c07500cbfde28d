/**
 * Writes an event in the transaction that causes it, with a delivery and its job for every webhook that wants it. All of
 * them exist, or none does.
 */
import type { Trx } from '../platform/postgres.ts';
import type { DeliveryQueue } from '../platform/queue-deliveries.ts';
import { insertDeliveries } from './delivery-store.ts';
import type { Event, NewEvent } from './event.ts';
import { insertEvent } from './event-store.ts';

export type EventQueue = Pick<DeliveryQueue, 'enqueueDelivery'>;

export async function recordEvent(trx: Trx, queue: EventQueue, newEvent: NewEvent): Promise<Event> {
  const event = await insertEvent(trx, newEvent);
  for (const delivery of await insertDeliveries(trx, event)) await queue.enqueueDelivery(trx, delivery);
  return event;
}
