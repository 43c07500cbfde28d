/**
 * Sends webhooks in a thread of its own. What partners' endpoints do there never touches the event loop that runs tasks and keeps
 * their leases. Nor does a fault of ours in dealing with it.
 */
import { Worker } from 'node:worker_threads';
import type { createLog, Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { OutageLog } from '../platform/outage-log.ts';
import type { DeliveryFault } from './webhook.ts';
import type { TargetSettings } from './webhook-target.ts';

/** What goes to the thread: plain values only. */
export interface DeliverySettings {
  databaseUrl: string;
  /** The URL leads through a pooler in transaction mode. */
  pooled: boolean;
  logLevel: Parameters<typeof createLog>[0];
  secretKey: Uint8Array;
  targets: TargetSettings;
}

/** What comes from it. */
export type DeliveryNews = { rounds: number } | { outcome: DeliveryFault | 'delivered' };
export const stopDelivering = 'stop';

export interface Deliveries {
  /** Changes as long as the thread looks for deliveries. */
  rounds(): number;
  stop(): Promise<void>;
}

const restartDelayMs = 1_000;
/** Requests under way end at once; the rest is for closing connections. */
const stopTimeoutMs = 5_000;

export function startDeliveries(settings: DeliverySettings, metrics: Metrics, log: Log): Deliveries {
  let stopping = false;
  let rounds = 0;
  let thread: Worker;
  let exited: Promise<void>;
  const start = () => {
    thread = new Worker(new URL('./deliveries-main.ts', import.meta.url), { workerData: settings });
    thread.on('message', (news: DeliveryNews) => {
      if ('rounds' in news) rounds += news.rounds;
      else metrics.webhookAttempts.inc({ outcome: news.outcome });
    });
    // Whatever ends the thread with a refused connection was refused by the database: endpoints are dealt with one by one.
    thread.on('error', (err: Error) =>
      log.error({ err: OutageLog.ofDatabase(err) }, 'the thread that sends webhooks failed; starting it again'),
    );
    const { promise, resolve } = Promise.withResolvers<void>();
    exited = promise;
    thread.once('exit', () => {
      resolve();
      if (!stopping) setTimeout(() => stopping || start(), restartDelayMs);
    });
  };
  start();
  return {
    rounds: () => rounds,
    async stop() {
      stopping = true;
      thread.postMessage(stopDelivering);
      const timer = setTimeout(() => void thread.terminate(), stopTimeoutMs);
      await exited;
      clearTimeout(timer);
    },
  };
}
