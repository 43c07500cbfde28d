/**
 * The queue of webhook deliveries. Jobs are fetched by one loop in batches instead of by a poller per slot: a request to a
 * partner's endpoint costs little while it waits, so hundreds may run at once, and hundreds of pollers would be too many.
 */

import { sql } from 'kysely';
import { fromKysely, type Job, type PgBoss } from 'pg-boss';
import type { Log } from './log.ts';
import type { Db, Trx } from './postgres.ts';

export interface QueuedDelivery {
  deliveryId: string;
  webhookId: string;
  /** 0, or less for what may wait behind the others. */
  priority: number;
  delaySeconds?: number;
}

/** A delivery as its handler sees it. */
export interface RunningDelivery {
  deliveryId: string;
  /** Aborts when the process is stopping. */
  signal: AbortSignal;
  /** Marks the job done in the same transaction as its result. */
  complete(trx: Trx): Promise<void>;
}

export interface DeliveryWork {
  db: Db;
  /** Deliveries under way in this process. */
  atOnce: number;
  /** Deliveries under way to one webhook, over all processes. */
  perWebhook: number;
}

export interface DeliveryQueue {
  enqueueDelivery(trx: Trx, delivery: QueuedDelivery): Promise<void>;
  /** Starts delivering. If a handler throws, its job is retried soon. */
  workDeliveries(work: DeliveryWork, handler: (delivery: RunningDelivery) => Promise<void>): void;
}

interface DeliveryData {
  delivery: string;
}

const name = 'webhook';
const batch = 50;
const pollMs = 500;

export async function createDeliveryQueue(boss: PgBoss): Promise<void> {
  await boss.createQueue(name, {
    // An attempt takes 10 s at most; what takes three times that has died with its process.
    expireInSeconds: 30,
    retentionSeconds: 14 * 24 * 3600,
    deleteAfterSeconds: 600,
    retryLimit: 10_000,
    retryDelay: 1,
  });
}

/** @param stopping aborts when no more deliveries are to be taken */
export function openDeliveryQueue(
  boss: PgBoss,
  stopping: AbortSignal,
  log: Log,
): DeliveryQueue & { ended(): Promise<void> } {
  const running = new Set<Promise<void>>();
  let loop: Promise<void> = Promise.resolve();

  const handle = async (
    job: Job<DeliveryData>,
    handler: (delivery: RunningDelivery) => Promise<void>,
  ): Promise<void> => {
    try {
      await handler({
        deliveryId: job.data.delivery,
        signal: stopping,
        complete: async (trx) => void (await boss.complete(name, job, null, { db: fromKysely(trx) })),
      });
    } catch (err) {
      if (!stopping.aborted)
        log.warn({ err, delivery: job.data.delivery }, 'delivery interrupted; it will be tried again');
      await boss.fail(name, job).catch(() => {});
    }
  };

  const work = async (
    { db, atOnce, perWebhook }: DeliveryWork,
    handler: (delivery: RunningDelivery) => Promise<void>,
  ): Promise<void> => {
    let wake = () => {};
    stopping.addEventListener('abort', () => wake(), { once: true });
    let woken = false;
    while (!stopping.aborted) {
      woken = false;
      const free = Math.min(batch, atOnce - running.size);
      const jobs =
        free > 0
          ? await fetchJobs(boss, db, free, perWebhook).catch((err) => {
              log.warn({ err }, 'deliveries could not be fetched; it will be tried again');
              return [];
            })
          : [];
      for (const job of jobs) {
        const run = handle(job, handler).finally(() => {
          running.delete(run);
          woken = true;
          wake();
        });
        running.add(run);
      }
      // After a full batch there is more to fetch; otherwise a delivery that ends makes room, at least at its endpoint.
      if (woken || jobs.length === free) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };

  return {
    async enqueueDelivery(trx, { deliveryId, webhookId, priority, delaySeconds }) {
      await boss.send(name, { delivery: deliveryId } satisfies DeliveryData, {
        priority,
        group: { id: webhookId },
        ...(delaySeconds ? { startAfter: Math.ceil(delaySeconds) } : {}),
        db: fromKysely(trx),
      });
    },
    workDeliveries(options, handler) {
      loop = work(options, handler);
    },
    async ended() {
      await loop;
      await Promise.all(running);
    },
  };
}

/** One process at a time: each counts what is under way to an endpoint before it takes more. */
async function fetchJobs(boss: PgBoss, db: Db, batchSize: number, perWebhook: number): Promise<Job<DeliveryData>[]> {
  return await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('toledo webhook deliveries'))`.execute(trx);
    return await boss.fetch<DeliveryData>(name, { batchSize, groupConcurrency: perWebhook, db: fromKysely(trx) });
  });
}
