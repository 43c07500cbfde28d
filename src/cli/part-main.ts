/** The main module of a part of the service, started by `supervise`. */
import { once } from 'node:events';
import { loadConfig } from '../config.ts';
import { createLog } from '../platform/log.ts';
import { greet } from './greeting.ts';
import { reportError } from './run-command.ts';
import { runRole } from './run-role.ts';
import type { MessageFromPart, MessageToPart, PartName, PartOrder } from './service-part.ts';

const metricsIntervalMs = 5_000;

const name = process.argv[2] as PartName;
let isReady = false;
/** Set by the order. */
let hasOwnDatabase = false;
try {
  await servePart();
} catch (error) {
  process.exitCode = reportError(error);
}
// The channel would keep the process alive.
process.removeAllListeners('disconnect');
process.disconnect?.();

async function servePart(): Promise<void> {
  const stopRequested = untilStopped();
  // The supervisor may have ended while this process was still loading its modules; no later event would report that.
  if (!process.connected) return;
  const [first] = (await once(process, 'message')) as [{ order: PartOrder }];
  const { databaseUrl, embedded, isFirst, port: formerPort } = first.order;
  hasOwnDatabase = embedded;
  const settings = loadConfig();
  const config = formerPort === undefined ? settings : { ...settings, port: formerPort };
  const log = createLog(config.logLevel);
  let workerMetrics: object[] = [];
  process.on('message', (message: MessageToPart) => {
    if ('metrics' in message) workerMetrics = [message.metrics];
  });
  await runRole({
    role: name,
    config,
    log,
    databaseUrl,
    // Also the API, whose start shows a mistake in the settings of the engines.
    callsEngines: true,
    listens: name === 'api',
    otherMetrics: () => workerMetrics,
    stopRequested,
    async onReady(application, port) {
      if (port === undefined) reportMetrics(() => application.metrics.registry.getMetricsAsJSON());
      else if (isFirst) await greet(application, config, { port, embedded });
      isReady = true;
      tell({ ready: { port } });
    },
  });
}

/** Signals of the terminal reach every process of the service; the supervisor alone handles them. */
function untilStopped(): Promise<string> {
  process.on('SIGINT', () => {});
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.on('message', (message: MessageToPart) => {
      if ('stop' in message) resolve(message.stop);
    });
    process.once('disconnect', () => {
      // An API leaves its port to the next start at once. A worker that has begun hands back its jobs, if the database is still there.
      if (name === 'api' || !isReady || hasOwnDatabase) process.exit(1);
      resolve('the supervisor ended');
    });
  });
}

/** The worker has no port of its own for them. */
function reportMetrics(read: () => Promise<object>): void {
  setInterval(async () => tell({ metrics: await read() }), metricsIntervalMs).unref();
}

function tell(message: MessageFromPart): void {
  if (process.connected) process.send?.(message);
}
