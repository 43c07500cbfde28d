/** What a worker process does: takes jobs, and cleans up. */
import { runTask } from './books/run-task.ts';
import { WeightGate } from './books/weight-gate.ts';
import { type DeliverySettings, startDeliveries } from './events/deliveries.ts';
import type { Signs } from './platform/watchdog.ts';
import type { Services } from './services.ts';
import { startSweeper } from './tasks/sweeper.ts';

/** Starts working. @param webhooks undefined where nothing is delivered */
export async function startWorker(services: Services, webhooks: DeliverySettings | undefined) {
  const { config, queue, metrics, log } = services;
  const deps = {
    ...services,
    gate: new WeightGate(config.workerCharacters),
    segmentConcurrency: Math.max(4, config.engineConcurrency),
    segmentOrder: config.order,
  };
  await queue.work({ short: config.workerShortTasks, book: config.workerBooks }, (job) => runTask(deps, job));
  const deliveries = webhooks && startDeliveries(webhooks, metrics, log);
  const stopSweeper = startSweeper({ ...services, retentionDays: config.retentionDays });
  return {
    signs: (): Signs => ({ ...queue.signs(), ...(deliveries && { webhooks: deliveries.rounds() }) }),
    /** Ends the deliveries and the cleaning up; the queue ends its jobs itself. */
    stop: async () => void (await Promise.all([deliveries?.stop(), stopSweeper()])),
  };
}
