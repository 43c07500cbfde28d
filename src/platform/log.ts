import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../config.ts';
import { OutageLog } from './outage-log.ts';

export type Log = Logger;

const outages = new WeakMap<Log, OutageLog>();

/** To be told when the database answers. */
export function databaseConnected(log: Log): void {
  outages.get(log)?.connected(log);
}

/**
 * One JSON line per event on standard error; standard output is for people. Nothing that a partner sent is logged except ids
 * and sizes. The paths below are a second safeguard in case a request or an error carries more.
 */
export function createLog(
  level: LogLevel,
  destination: DestinationStream = pino.destination({ fd: 2, sync: true }),
): Log {
  const outage = new OutageLog();
  const log = pino(
    {
      level,
      hooks: {
        logMethod(args, method) {
          const [about] = args as unknown as [{ err?: unknown } | string | undefined];
          const err = typeof about === 'object' ? about?.err : undefined;
          if (err === undefined || !outage.isTold(err)) method.apply(this, args);
        },
      },
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: [
          ...['authorization', 'headers', 'body'].flatMap((name) => [name, `*.${name}`]),
          ...['url.search', 'err.config', 'err.parameters'],
        ],
        censor: '[redacted]',
      },
      serializers: { err: describeError },
    },
    destination,
  );
  outages.set(log, outage);
  return log;
}

/**
 * The parts of an error that may be logged: type, code, message, constraint and stack. PostgreSQL puts the offending values
 * into `detail` and `where`, so those are left out.
 */
function describeError(error: unknown): Record<string, unknown> {
  if (!isErrorLike(error)) return { message: typeof error === 'object' ? 'an error of unknown form' : String(error) };
  const { name, message, stack, cause } = error;
  const { code, constraint, severity } = error as { code?: unknown; constraint?: unknown; severity?: unknown };
  return { name, code, constraint, severity, message, stack, cause: cause && describeError(cause) };
}

/** The job engine tells of errors as plain objects with what the error had. */
function isErrorLike(error: unknown): error is Error {
  return error instanceof Error || typeof (error as { message?: unknown } | null)?.message === 'string';
}
