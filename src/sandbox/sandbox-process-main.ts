/** The program of a sandbox process. Its arguments are the modules to load at once. */
import { flushCompileCache, getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { serialize } from 'node:v8';
import { continueSpan } from '../platform/tracing.ts';
import type { FromProcess, JobAnswer, RunMessage, ThrownAnswer, ToProcess } from './job-module.ts';
import { relayedSpan, relayedSpanId } from './tracing-relay.ts';

const maxResultBytes = 64 * 1024 * 1024;
const waiting = new Map<number, (value: unknown) => void>();
let calls = 0;

// The Ctrl-C of a terminal reaches every process of the service, which ends its jobs in order.
process.on('SIGINT', () => {});

process.on('message', async (message: ToProcess) => {
  if (message.kind === 'reply') {
    waiting.get(message.id)?.(message.value);
    waiting.delete(message.id);
    return;
  }
  const answer = await work(message);
  waiting.clear();
  send(answer);
});

await load(process.argv.slice(2));
send({ kind: 'loaded' });

/** Compiled code may be kept until here and not later, when a job reads what a partner has sent. */
async function load(moduleUrls: readonly string[]): Promise<void> {
  // A module that does not work is reported by the job that needs it; the process does not die of it.
  for (const moduleUrl of moduleUrls) await import(moduleUrl).catch(() => {});
  const compileCache = getCompileCacheDir();
  if (compileCache === undefined) return;
  flushCompileCache();
  process.permission.drop('fs.write', dirname(compileCache));
}

async function work(request: RunMessage): Promise<JobAnswer> {
  let target: unknown;
  try {
    const module: Record<string, unknown> = await import(request.moduleUrl);
    target = module[request.functionName];
    if (typeof target !== 'function') throw new TypeError(`${request.moduleUrl} exports no ${request.functionName}()`);
  } catch (error) {
    return thrown(error, 'setup');
  }
  const run = target;
  try {
    const span = request.isTraced ? relayedSpan(send) : undefined;
    const value = serialize(await continueSpan(span, () => run(request.argument, host)));
    if (value.byteLength > maxResultBytes) {
      throw new RangeError(`the result has ${value.byteLength} bytes, more than ${maxResultBytes}`);
    }
    return { kind: 'returned', value };
  } catch (error) {
    return thrown(error, blameFor(error));
  }
}

/** Every method of the parent's host, by name. */
const host = new Proxy(
  {},
  {
    get: (_target, method) => (argument: unknown, signal?: AbortSignal) => callParent(String(method), argument, signal),
  },
);

function callParent(method: string, argument: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  const id = ++calls;
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const abandon = () => {
    waiting.delete(id);
    send({ kind: 'abandoned', id });
    reject(signal?.reason);
  };
  waiting.set(id, (value) => {
    signal?.removeEventListener('abort', abandon);
    resolve(value);
  });
  signal?.addEventListener('abort', abandon, { once: true });
  send({ kind: 'call', id, method, argument, span: relayedSpanId() });
  return promise;
}

function send(message: FromProcess): void {
  process.send?.(message);
}

/** A module of ours that is loaded late and is missing says nothing about the input. */
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
