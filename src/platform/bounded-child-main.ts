/** The program of a child of `BoundedChildren`. Started with what it is kept for and the modules to load at once as arguments. */
import { flushCompileCache, getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serialize } from 'node:v8';
import type {
  ChildAnswer,
  FromChild,
  KeptFor,
  RunMessage,
  ThrownAnswer,
  ToChild,
  WarmUp,
} from './bounded-child-protocol.ts';
import { continueSpan } from './tracing.ts';
import { relayedSpan, relayedSpanId } from './tracing-relay.ts';

const waiting = new Map<number, (value: unknown) => void>();
let calls = 0;
/** Somebody waits for this process already. */
let isAwaited = false;
const awaited = Promise.withResolvers<void>();

process.on('message', async (message: ToChild) => {
  if (message.kind === 'reply') {
    waiting.get(message.id)?.(message.value);
    waiting.delete(message.id);
    return;
  }
  isAwaited = true;
  awaited.resolve();
  if (message.kind === 'expected') return;
  await ready;
  const answer = await work(message);
  waiting.clear();
  send(answer);
});

const [keptFor, ...moduleUrls] = process.argv.slice(2);
const ready = prepare(moduleUrls, keptFor as KeptFor);
void ready.then(() => send({ kind: 'ready' }));

/** Compiled code may be kept until here and not later, when a job reads what a partner has sent. */
async function prepare(moduleUrls: readonly string[], keptFor: KeptFor): Promise<void> {
  const modules: { warmUp?: WarmUp }[] = [];
  for (const moduleUrl of moduleUrls) await onlyTried(async () => modules.push(await import(moduleUrl)));
  send({ kind: 'loaded' });
  for (const { warmUp } of modules) {
    // The messages that have come meanwhile are read first.
    await new Promise(setImmediate);
    if (!isAwaited && warmUp) await onlyTried(() => takeSteps(warmUp(keptFor)));
  }
  const compileCache = getCompileCacheDir();
  if (compileCache === undefined) return;
  flushCompileCache();
  process.permission.drop('fs.write', dirname(compileCache));
}

/** A module that does not work is reported by the job that needs it; the child does not die of it. */
async function onlyTried(attempt: () => Promise<unknown>): Promise<void> {
  await attempt().catch(() => {});
}

/** Nobody waits for a step yet, so others have the processor for ten times as long after each; whoever comes waits for the end of one. */
async function takeSteps(steps: AsyncIterable<void>): Promise<void> {
  let startedAtMs = performance.now();
  for await (const _ of steps) {
    await Promise.race([sleep(10 * (performance.now() - startedAtMs)), awaited.promise]);
    if (isAwaited) return;
    startedAtMs = performance.now();
  }
}

async function work(request: RunMessage): Promise<ChildAnswer> {
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
    if (value.byteLength > request.maxResultBytes) {
      throw new RangeError(`the result has ${value.byteLength} bytes, more than ${request.maxResultBytes}`);
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

function send(message: FromChild): void {
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
