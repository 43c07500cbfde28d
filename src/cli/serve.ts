import { loadConfig } from '../config.ts';
import { startDatabaseServer } from '../platform/database-server.ts';
import { createLog } from '../platform/log.ts';
import { greet } from './greeting.ts';
import { runRole } from './run-role.ts';
import { firstStopSignal } from './stop-signal.ts';

/** One role in this process, which is supervised by others. Returns when it was asked to stop and everything is closed. */
export async function serve(role: 'api' | 'worker'): Promise<void> {
  const config = loadConfig();
  const log = createLog(config.logLevel);
  const stopRequested = firstStopSignal();
  const { url: databaseUrl, embedded, stop } = await startDatabaseServer(config, log);
  try {
    await runRole({
      role,
      config,
      log,
      databaseUrl,
      callsEngines: role === 'worker',
      // A worker answers health checks and metrics.
      listens: true,
      stopRequested,
      async onReady(application, port = config.port) {
        if (role === 'api') await greet(application, config, { port, embedded });
      },
    });
  } finally {
    await stop();
  }
  log.info('stopped');
}
