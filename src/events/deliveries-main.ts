/** The thread that sends webhooks. */
import { parentPort, workerData } from 'node:worker_threads';
import { createLog } from '../platform/log.ts';
import { openDatabase } from '../platform/postgres.ts';
import { openDeliveryWork } from '../platform/queue-deliveries.ts';
import { deliver } from './deliver.ts';
import { type DeliveryNews, type DeliverySettings, stopDelivering } from './deliveries.ts';
import { maxInFlightPerWebhook } from './webhook.ts';
import { targetPolicy } from './webhook-target.ts';

/** A request that waits costs a socket and little else. */
const atOnce = 256;
/** An attempt ends after 11 s at most; the rest is for its statements. Shorter than the job engine's own limit. */
const handlerTimeoutMs = 25_000;
/** Statements are short; what waits for an endpoint holds no connection. */
const poolSize = 4;
const newsIntervalMs = 1_000;

const settings = workerData as DeliverySettings;
const port = parentPort;
if (!port) throw new Error('this module is the main module of a thread');
const stopRequested = new Promise<void>((resolve) => {
  port.on('message', (message) => message === stopDelivering && resolve());
});
const tell = (news: DeliveryNews) => port.postMessage(news);

const log = createLog(settings.logLevel);
const { db, pool, close } = openDatabase({
  url: settings.databaseUrl,
  pooled: settings.pooled,
  poolSize,
  log,
  applicationName: 'toledo webhooks',
});
const policy = targetPolicy(settings.targets);
const work = await openDeliveryWork({ pool, db, log, atOnce, perWebhook: maxInFlightPerWebhook, handlerTimeoutMs });
const { queue } = work;
const secretKey = Buffer.from(settings.secretKey);
const onAttempt = (outcome: Extract<DeliveryNews, { outcome: string }>['outcome']) => tell({ outcome });
work.start((job) => deliver({ db, queue, secretKey, policy, log, onAttempt }, job));
const news = setInterval(() => tell({ rounds: work.takeRounds() }), newsIntervalMs);

await stopRequested;
clearInterval(news);
await work.stop();
await close();
port.close();
