/** The program of a child of `BoundedChildren`. Started with the modules to load at once as arguments. */
import { serialize } from 'node:v8';
import type { ChildAnswer, ThrownAnswer } from './bounded-child-faults.ts';

interface Request {
  moduleUrl: string;
  functionName: string;
  argument: unknown;
  maxResultBytes: number;
}

process.on('message', async (request: Request) => {
  const answer = await work(request);
  process.send?.(answer);
});

// If a module does not load, the job that needs it reports that; the child does not die here.
for (const moduleUrl of process.argv.slice(2)) await import(moduleUrl).catch(() => {});

async function work(request: Request): Promise<ChildAnswer> {
  let target: unknown;
  try {
    const module: Record<string, unknown> = await import(request.moduleUrl);
    target = module[request.functionName];
    if (typeof target !== 'function') throw new TypeError(`${request.moduleUrl} exports no ${request.functionName}()`);
  } catch (error) {
    return thrown(error, 'setup');
  }
  try {
    const value = serialize(await target(request.argument));
    if (value.byteLength > request.maxResultBytes) {
      throw new RangeError(`the result has ${value.byteLength} bytes, more than ${request.maxResultBytes}`);
    }
    return { kind: 'returned', value };
  } catch (error) {
    return thrown(error, blameFor(error));
  }
}

/** If one of our own modules is missing when it is loaded late, the input is not to blame. */
function blameFor(error: unknown): ThrownAnswer['blame'] {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return 'setup';
  return error instanceof Error && syscall !== undefined ? 'system' : 'input';
}

function bugOf(cause: unknown): ThrownAnswer['bug'] {
  return cause instanceof Error && cause.name === 'Bug' ? { message: cause.message, stack: cause.stack } : undefined;
}

function thrown(error: unknown, blame: ThrownAnswer['blame']): ThrownAnswer {
  // By name: a module may have been loaded from another copy of the source than the parent's.
  const fault = error instanceof Error ? error : new Error(String(error));
  const known = fault as Error & Partial<Pick<ThrownAnswer, 'code' | 'details' | 'retryAfterSeconds'>>;
  return {
    kind: 'thrown',
    isAppError: fault.name === 'AppError',
    code: known.code,
    message: fault.message,
    details: fault.name === 'AppError' ? known.details : undefined,
    retryAfterSeconds: fault.name === 'AppError' ? known.retryAfterSeconds : undefined,
    stack: fault.stack,
    bug: bugOf(fault.cause),
    blame,
  };
}
