/** The thread of the watchdog. */
import { parentPort, workerData } from 'node:worker_threads';
import type { LogLevel } from '../config.ts';
import { createLog } from './log.ts';
import { checkIntervalMs, type Signs, SilenceCounter, type WatchdogSettings } from './watchdog.ts';

const { limitSeconds, logLevel } = workerData as WatchdogSettings;
const log = createLog(logLevel as LogLevel);
const silence = new SilenceCounter();
parentPort?.on('message', (signs: Signs) => silence.hear(signs));
setInterval(() => {
  const loop = silence.check();
  if (loop === undefined) return;
  log.fatal(
    { loop, seconds: limitSeconds },
    'this process has done nothing for too long; it ends, to be started again',
  );
  process.kill(process.pid, 'SIGKILL');
}, checkIntervalMs(limitSeconds));
