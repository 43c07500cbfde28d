/** House-keeping of events, and bringing the deliveries of a copied database to life. */
import type { Db, Trx } from '../platform/postgres.ts';
import type { DeliveryQueue } from '../platform/queue-deliveries.ts';
import { pendingDeliveries } from './delivery-store.ts';
import { eventRetentionDays } from './event.ts';
import { deleteOldEvents } from './event-store.ts';
import { forgetOldSecrets } from './webhook-store.ts';

const batch = 1_000;

export async function sweepEvents(db: Db): Promise<void> {
  await forgetOldSecrets(db);
  while ((await deleteOldEvents(db, eventRetentionDays, batch)) === batch);
}

/** A new job for every delivery that is still to be made: the job engine's tables are its own and are not copied. */
export async function requeueDeliveries(trx: Trx, queue: Pick<DeliveryQueue, 'enqueueDelivery'>): Promise<void> {
  for (const delivery of await pendingDeliveries(trx)) await queue.enqueueDelivery(trx, delivery);
}
