/** One process of the service, from its start to its stop. */
import { type Application, type ApplicationOptions, createApplication } from '../app.ts';
import type { Config } from '../config.ts';
import { checkEngines } from '../engines/check-engines.ts';
import { engineChoice } from '../engines/open-engines.ts';
import type { Log } from '../platform/log.ts';
import { startWatchdog } from '../platform/watchdog.ts';
import { limitStop } from './stop-signal.ts';

export interface RoleRun extends Pick<ApplicationOptions, 'config' | 'log' | 'databaseUrl' | 'otherMetrics'> {
  role: 'api' | 'worker';
  callsEngines: boolean;
  /** False for a worker beside an API process, which answers for both. */
  listens: boolean;
  stopRequested: Promise<string>;
  onReady?: (application: Application, port: number | undefined) => Promise<void> | void;
}

const drainNoticeMs = 500;

/** Returns when the process has been asked to stop and everything is closed. */
export async function runRole(run: RoleRun): Promise<void> {
  const { role, config, log, callsEngines, listens, stopRequested, onReady } = run;
  const application = await createApplication(run);
  const { signs } = application;
  let endWatch = async () => {};
  try {
    const port = listens ? (await application.listen()).port : undefined;
    await onReady?.(application, port);
    // Beside everything else: a front page without its example is one all the same.
    application.showcase?.makeExample().catch((err) => log.warn({ err }, 'the front page has no example'));
    endWatch = startWatchdog({ limitSeconds: config.watchdogSeconds, signs, log });
    log.info({ role, port }, 'ready');
    if (listens && callsEngines) void warnOfBrokenEngines(config, log);
    log.info({ signal: await stopRequested }, 'stopping');
    limitStop(log);
  } finally {
    await endWatch();
    await application.stop(drainNoticeMs);
  }
}

/** A wrong key or an unknown model shows here, and not in the first partner's book. */
async function warnOfBrokenEngines(config: Config, log: Log): Promise<void> {
  const remote = engineChoice(config, 'needed').engines.filter(({ kind }) => kind !== 'built-in' && kind !== 'sandbox');
  for (const { engine, ok, finding } of await checkEngines(remote)) {
    if (!ok) log.warn({ engine, finding }, 'an engine does not answer; see "npx toledo doctor --engines"');
  }
}
