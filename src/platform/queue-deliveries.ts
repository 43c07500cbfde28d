/**
 * The queue of webhook deliveries. Jobs are fetched by one loop in batches instead of by a poller per slot. A request to a
 * partner's endpoint costs little while it waits, so hundreds may run at once. Hundreds of pollers would be too many.
 *
 * Order is virtual time, as for tasks. An account's n-th waiting delivery comes after every other account's (n−1)-th, and
 * deliveries to endpoints in trouble come last. A quarter of the slots takes only the first delivery of an account. Seven
 * accounts with ten endpoints that hang want 280 slots at once, and would otherwise keep all 256 for ten seconds.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { fromKysely, type Job, PgBoss } from 'pg-boss';
import type { Log } from './log.ts';
import { OutageLog } from './outage-log.ts';
import type { Db, Pool, Trx } from './postgres.ts';

export interface QueuedDelivery {
  deliveryId: string;
  webhookId: string;
  /** The account's deliveries that wait already or are under way. */
  ahead: number;
  /** The endpoint has failed last. */
  failing: boolean;
  delaySeconds?: number;
}

export type DeliveryQueue = ReturnType<typeof deliveryQueue>;

/** A delivery as its handler sees it. */
export interface RunningDelivery {
  deliveryId: string;
  /** Aborts when the process is stopping, or the handler takes too long. */
  signal: AbortSignal;
  /** Marks the job done in the same transaction as its result. */
  complete(trx: Trx): Promise<void>;
}

type Handler = (delivery: RunningDelivery) => Promise<void>;

export interface DeliveryWorkOptions {
  pool: Pool;
  db: Db;
  log: Log;
  /** Deliveries under way in this process. */
  atOnce: number;
  /** Deliveries under way to one webhook, over all processes; one at a time to a webhook that has failed last. */
  perWebhook: number;
  /** For one delivery, with its statements. Then its slot is free again, whatever the handler does. */
  handlerTimeoutMs: number;
}

interface DeliveryData {
  delivery: string;
}

const name = 'webhook';
const batch = 50;
const pollMs = 500;
/** Of all slots, for deliveries of accounts that have no other under way. */
const reservedShare = 1 / 4;
/** More deliveries of one account than this are all the same distance behind. */
const farthestAhead = 10_000;
const failingTier = 'failing';

/** The job engine for a process that sends or fetches jobs over its own connections and leaves supervision to others. */
export async function openQueueClient(pool: Pool, log: Log): Promise<PgBoss> {
  const boss = new PgBoss({
    db: { executeSql: (text: string, values?: unknown[]) => pool.query(text, values) },
    supervise: false,
    schedule: false,
  });
  boss.on('error', (err) => log.warn({ err: OutageLog.ofDatabase(err) }, 'queue'));
  await boss.start();
  return boss;
}

export async function createDeliveryQueue(boss: PgBoss): Promise<void> {
  await boss.createQueue(name, {
    // A handler is given up before that; what takes longer has died with its process.
    expireInSeconds: 30,
    retentionSeconds: 14 * 24 * 3600,
    deleteAfterSeconds: 600,
    retryLimit: 10_000,
    retryDelay: 1,
  });
}

export function deliveryQueue(boss: PgBoss) {
  return {
    async enqueueDelivery(trx: Trx, delivery: QueuedDelivery): Promise<void> {
      const { deliveryId, webhookId, ahead, failing, delaySeconds } = delivery;
      await boss.send(name, { delivery: deliveryId } satisfies DeliveryData, {
        priority: failing ? -farthestAhead - 1 : -Math.min(ahead, farthestAhead),
        group: failing ? { id: webhookId, tier: failingTier } : { id: webhookId },
        ...(delaySeconds ? { startAfter: Math.ceil(delaySeconds) } : {}),
        db: fromKysely(trx),
      });
    },
  };
}

export async function openDeliveryWork(options: DeliveryWorkOptions) {
  const { pool, log, handlerTimeoutMs } = options;
  const boss = await openQueueClient(pool, log);
  await createDeliveryQueue(boss);
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  let loop: Promise<void> = Promise.resolve();
  let rounds = 0;

  const handle = async (job: Job<DeliveryData>, handler: Handler): Promise<void> => {
    const givenUp = new AbortController();
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const error = new Error(`a delivery did not end within ${handlerTimeoutMs / 1000} s`);
      givenUp.abort(error);
      late.reject(error);
    }, handlerTimeoutMs);
    const run = handler({
      deliveryId: job.data.delivery,
      signal: AbortSignal.any([givenUp.signal, stopping.signal]),
      complete: async (trx) => void (await boss.complete(name, job, null, { db: fromKysely(trx) })),
    });
    try {
      await Promise.race([run, late.promise]);
    } catch (err) {
      if (!stopping.signal.aborted)
        log.warn({ err, delivery: job.data.delivery }, 'delivery interrupted; it will be tried again');
      await boss.fail(name, job).catch(() => {});
    } finally {
      clearTimeout(timer);
    }
  };

  const work = async (handler: Handler): Promise<void> => {
    let ended = new AbortController();
    stopping.signal.addEventListener('abort', () => ended.abort(), { once: true });
    while (!stopping.signal.aborted) {
      ended = new AbortController();
      const jobs = await fetchJobs(boss, options, running.size).catch((err) => {
        log.warn({ err }, 'deliveries could not be fetched; it will be tried again');
        return [];
      });
      rounds += 1;
      for (const job of jobs) {
        const run = handle(job, handler).finally(() => {
          running.delete(run);
          ended.abort();
        });
        running.add(run);
      }
      // A batch may consist of one endpoint's backlog, of which few may run: only an empty one tells that nothing waits.
      if (jobs.length > 0) continue;
      // A delivery that ends makes room, in this process or at its endpoint.
      await sleep(pollMs, undefined, { signal: ended.signal }).catch(() => {});
    }
  };

  return {
    queue: deliveryQueue(boss),
    /** If a handler throws, its job is retried soon. */
    start(handler: Handler) {
      loop = work(handler);
    },
    /** How often it has looked for deliveries since it was asked last. */
    takeRounds() {
      const taken = rounds;
      rounds = 0;
      return taken;
    },
    async stop() {
      stopping.abort(new Error('the process is stopping'));
      await loop;
      await Promise.all(running);
      await boss.stop({ graceful: false });
    },
  };
}

/** One process at a time: each counts what is under way to an endpoint before it takes more. */
async function fetchJobs(
  boss: PgBoss,
  { db, atOnce, perWebhook }: DeliveryWorkOptions,
  running: number,
): Promise<Job<DeliveryData>[]> {
  const free = atOnce - running;
  const unreserved = Math.floor(free - atOnce * reservedShare);
  if (free <= 0) return [];
  return await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('toledo webhook deliveries'))`.execute(trx);
    return await boss.fetch<DeliveryData>(name, {
      batchSize: Math.min(batch, unreserved > 0 ? unreserved : free),
      ...(unreserved > 0 ? {} : { minPriority: 0 }),
      groupConcurrency: { default: perWebhook, tiers: { [failingTier]: 1 } },
      db: fromKysely(trx),
    });
  });
}
