/**
 * `npx toledo serve`: the database, the API and the worker, each a process of its own, and this one, which starts what dies again.
 * It does nothing else and loads little, so that it outlives what a book or a request does to the others.
 */
import { loadConfig } from '../config.ts';
import { startDatabaseServer } from '../platform/database-server.ts';
import { createLog } from '../platform/log.ts';
import { keepPart, type ServicePart } from './service-part.ts';
import { firstStopSignal, limitStop } from './stop-signal.ts';
import { endInFailure } from './terminal.ts';

/** Returns when the service was asked to stop and everything is closed, or has failed to start. */
export async function supervise(): Promise<void> {
  const config = loadConfig();
  const log = createLog(config.logLevel);
  const stopRequested = firstStopSignal();
  const database = startDatabaseServer(config, log);
  const parts: ServicePart[] = [];
  let reason = 'the start failed';
  try {
    const api = keepPart({ name: 'api', database, log });
    parts.push(api);
    await database;
    const outcome = await Promise.race([api.started, stopRequested]);
    if (outcome === 'failed') return endInFailure();
    if (outcome === 'ready') {
      const onMetrics = (metrics: object) => api.send({ metrics });
      // The API has brought the schema up to date.
      parts.push(keepPart({ name: 'worker', database, log, onMetrics }));
      log.info({ role: 'all' }, 'ready');
    }
    reason = await stopRequested;
    log.info({ signal: reason }, 'stopping');
    limitStop(log);
  } finally {
    await Promise.all(parts.map((part) => part.stop(reason)));
    const server = await database.catch(() => undefined);
    await server?.stop();
  }
  log.info('stopped');
}
