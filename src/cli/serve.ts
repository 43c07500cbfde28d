import { hasAccounts } from '../accounts/account-store.ts';
import { type Application, createApplication } from '../app.ts';
import { type Config, consoleWay, isLoopback, loadConfig, type Role } from '../config.ts';
import { checkEngines } from '../engines/check-engines.ts';
import { configuredEngines } from '../engines/open-engines.ts';
import { createAccount } from '../operators/account-changes.ts';
import { createSignInCode } from '../operators/console-session-store.ts';
import { describeEngines } from '../operators/describe-engines.ts';
import { startDatabaseServer } from '../platform/database-server.ts';
import { createLog, type Log } from '../platform/log.ts';
import { signInAddress } from './operator/console-commands.ts';
import { printLine } from './output.ts';
import { keepWorker, reportMetrics, type WorkerProcess } from './worker-process.ts';

const demoCredits = 1_000_000;
/** We promise 20 s. A stop that takes longer than this ends with a kill, and the next start recovers. */
const stopTimeoutMs = 19_000;
const drainNoticeMs = 500;

/** Returns when the process has been asked to stop and everything is closed. */
export async function serve(role: Role): Promise<void> {
  const config = loadConfig();
  const log = createLog(config.logLevel);
  const stopRequested = firstStopSignal();
  if (process.send) {
    // The API process may have ended while this one was still loading its modules; no later event would report that.
    if (!process.connected) return;
    process.once('disconnect', exitUnstarted);
  }
  const databaseServer = await startDatabaseServer(config, log);
  let application: Application | undefined;
  let worker: WorkerProcess | undefined;
  try {
    // Both roles in one command are two processes: reading and checking novels must not block the API's event loop.
    application = await createApplication({
      config,
      databaseUrl: databaseServer.url,
      role: role === 'all' ? 'api' : role,
      callsEngines: role !== 'api',
      log,
      otherMetrics: () => worker?.metrics() ?? [],
    });
    if (role === 'worker') {
      process.off('disconnect', exitUnstarted);
      const { registry } = application.metrics;
      // Beside an API process the worker has no port; alone it answers health checks and metrics itself.
      const listening = process.connected ? undefined : await application.listen();
      if (listening) void warnOfBrokenEngines(config, log);
      else reportMetrics(() => registry.getMetricsAsJSON());
      log.info({ role, port: listening?.port }, 'ready');
      log.info({ signal: await stopRequested }, 'stopping');
      setTimeout(() => exitHard(log), stopTimeoutMs).unref();
      return;
    }
    if (role === 'all') worker = keepWorker(databaseServer.url, log);
    const { port } = await application.listen();
    const rootUrl =
      config.publicUrl ?? `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
    await greet(application, rootUrl, databaseServer.embedded && isLoopback(config.host), consoleWay(config));
    log.info({ role, port }, 'ready');
    if (role === 'all') void warnOfBrokenEngines(config, log);
    log.info({ signal: await stopRequested }, 'stopping');
    setTimeout(() => exitHard(log), stopTimeoutMs).unref();
  } finally {
    leaveKeeper();
    await Promise.all([application?.stop(drainNoticeMs), worker?.stop()]);
    await databaseServer.stop();
  }
  log.info('stopped');
}

/**
 * Ctrl-C in a terminal arrives twice: the terminal sends it to all foreground processes, and npm passes its own on. A second signal
 * therefore ends the process at once only if it comes later than this.
 */
const sameSignalMs = 1_000;

/** A second signal ends the process at once. A worker beside an API process follows that one, not the terminal. */
function firstStopSignal(): Promise<string> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      resolve(signal);
      const stoppedAtMs = performance.now();
      const endAtOnce = (code: number) => () => {
        if (performance.now() - stoppedAtMs > sameSignalMs) process.exit(code);
      };
      process.on('SIGINT', endAtOnce(130));
      process.on('SIGTERM', endAtOnce(143));
    };
    process.once('SIGTERM', stop);
    if (process.connected) {
      process.once('disconnect', () => resolve('the API process ended'));
      process.on('SIGINT', () => {});
    } else {
      process.once('SIGINT', stop);
    }
  });
}

/** The channel keeps a worker alive: one whose start failed must end, or the API process never starts another. */
function leaveKeeper(): void {
  process.off('disconnect', exitUnstarted);
  if (process.connected) process.disconnect?.();
}

/** A worker whose API process stops while it is still starting has nothing to finish, and the stop waits for it. */
function exitUnstarted(): void {
  process.exit(0);
}

function exitHard(log: Log): void {
  log.error('the stop took too long');
  process.exit(1);
}

/**
 * On the first start on a local machine there is no account yet: create a demo account. Where others can reach the port, an
 * unrequested funded account would be open to anyone who reads the log.
 */
async function greet(
  { database, secrets, engines }: Application,
  rootUrl: string,
  forOneself: boolean,
  console: ReturnType<typeof consoleWay>,
): Promise<void> {
  const baseUrl = `${rootUrl}/api/v1`;
  printLine(`\nToledo is running.\n  Base URL   ${baseUrl}\n  Reference  ${rootUrl}/docs`);
  for (const [i, line] of describeEngines(engines).entries())
    printLine(`  ${i === 0 ? 'Engine   ' : '         '}  ${line}`);
  if (console === 'token') printLine(`  Console    ${rootUrl}/console`);
  if (console === 'link')
    printLine(`  Console    ${signInAddress(rootUrl, await createSignInCode(database.db))}  (signs in once)`);
  if (forOneself && !(await hasAccounts(database.db))) {
    const demo = { name: 'demo', rateLimitPerMinute: 60, billingPeriod: 'monthly', credits: demoCredits } as const;
    const { key } = await createAccount(database.db, 'first start', demo, secrets.keyPepper);
    printLine(
      `\nA demo account with ${demoCredits.toLocaleString('en')} credits was created. Its key is shown only now:\n  ${key}\n\nTry it:`,
    );
    printLine(`  curl -s ${baseUrl}/usage -H "Authorization: Bearer ${key}"`);
  } else {
    printLine('  Accounts   "npx toledo account create NAME" makes one, "npx toledo key create ACCOUNT" a further key');
  }
  printLine('\nStop with Ctrl-C.\n');
}

/** A wrong key or an unknown model shows here, and not in the first partner's book. */
async function warnOfBrokenEngines(config: Config, log: Log): Promise<void> {
  const remote = configuredEngines(config).filter(({ kind }) => kind !== 'built-in' && kind !== 'sandbox');
  for (const { engine, ok, finding } of await checkEngines(remote)) {
    if (!ok) log.warn({ engine, finding }, 'an engine does not answer; see "toledo doctor --engines"');
  }
}
