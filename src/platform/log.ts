import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../config.ts';

export type Log = Logger;

/**
 * One JSON line per event on standard error; standard output is for people. Nothing that a partner sent is logged except ids
 * and sizes. The paths below are a second safeguard in case a request or an error carries more.
 */
export function createLog(
  level: LogLevel,
  destination: DestinationStream = pino.destination({ fd: 2, sync: true }),
): Log {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: [
          'authorization',
          '*.authorization',
          'headers',
          '*.headers',
          'body',
          '*.body',
          'url.search',
          'err.config',
          'err.parameters',
        ],
        censor: '[redacted]',
      },
      serializers: { err: describeError },
    },
    destination,
  );
}

/**
 * The parts of an error that may be logged: type, code, message, constraint and stack. PostgreSQL puts the offending values
 * into `detail` and `where`, so those are left out.
 */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code, constraint, severity } = error as { code?: unknown; constraint?: unknown; severity?: unknown };
  return {
    name,
    code,
    constraint,
    severity,
    message,
    stack,
    ...(cause === undefined ? {} : { cause: describeError(cause) }),
  };
}
