// Runs alone: it measures the memory of its process.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { createServer } from 'node:net';
import { getPriority, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { AppError, Bug } from '../../src/errors.ts';
import { type JobResult, jobModule } from '../../src/sandbox/job-module.ts';
import { type JobOptions, Sandbox } from '../../src/sandbox/sandbox.ts';
import { sessionOfProcess } from './sandbox-jobs.ts';

type Jobs = typeof import('./sandbox-jobs.ts');
const jobs = jobModule<Jobs>(new URL('./sandbox-jobs.ts', import.meta.url));
const sandbox = new Sandbox({ warmMemoryMb: 64, preload: [jobs.url] });
after(() => sandbox.close());

/** The functions that need no host, with arguments of any kind: many of them are not what the function expects. */
const run = <K extends Exclude<keyof Jobs, HostJobs>>(
  name: K,
  argument?: unknown,
  options: Partial<JobOptions> = {},
): Promise<JobResult<Jobs[K]>> =>
  sandbox.run(jobs, name, argument as never, { timeoutMs: 10_000, memoryMb: 64, ...options } as never);
type HostJobs = 'addAll' | 'giveUpWaiting' | 'waitForHost' | 'loopBesideCall';

const isUnreadable = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.code, 'BAD_REQUEST');
  assert.deepEqual(error.details, { reason: 'UNREADABLE_SOURCE' });
  assert.match(error.message, message);
  return true;
};

test('a job gets its argument and gives its result, binary and structured', async () => {
  assert.equal(await run('double', 21), 42);
  const value = {
    bytes: new Uint8Array([1, 2, 255]),
    map: new Map([['a', 1n]]),
    date: new Date(0),
    text: 'ü🙂',
    none: undefined,
  };
  assert.deepEqual(await run('echo', value), value);
});

test('an AppError of the function comes back with code, message and details', async () => {
  await assert.rejects(run('refuse'), {
    name: 'AppError',
    code: 'BAD_REQUEST',
    message: 'The file is encrypted.',
    details: { field: 'file', reason: 'ENCRYPTED_SOURCE' },
  });
});

test('a reader that lost text answers with the place, and our log with what went wrong', async () => {
  await assert.rejects(run('loseText'), (error: unknown) => {
    assert.ok(error instanceof AppError && error.cause instanceof Bug);
    assert.deepEqual(error.details, { field: 'file', reason: 'UNREADABLE_SOURCE', place: 'page 3' });
    assert.match(error.message, /page 3/);
    assert.match(error.cause.message, /90 of 100 characters/);
    assert.match(error.cause.stack ?? '', /loseText/);
    return true;
  });
  await assert.rejects(run('fail'), (error: unknown) => error instanceof AppError && error.cause instanceof Bug);
});

test('an input that is too much for the function is UNREADABLE_SOURCE, and the next job is served', async (context) => {
  const table: [name: Exclude<keyof Jobs, HostJobs>, argument: unknown, message: RegExp, timeoutMs?: number][] = [
    ['fillHeap', undefined, /too much memory/],
    ['fillBuffers', undefined, /too much memory|could not be understood/],
    ['loop', undefined, /within 1 seconds/, 500],
    ['overflow', 0, /could not be understood/],
    ['exit', 0, /could not be understood/],
    ['exit', 3, /could not be understood/],
    ['fail', undefined, /could not be understood/],
    ['failLater', undefined, /could not be understood/],
    ['hugeResult', 100 * 1024 * 1024, /could not be understood|too much memory/],
  ];
  for (const [name, argument, message, timeoutMs] of table) {
    await context.test(`${name}(${argument ?? ''})`, async () => {
      await assert.rejects(run(name, argument, { timeoutMs: timeoutMs ?? 10_000 }), isUnreadable(message));
      assert.equal(await run('double', 1), 2);
    });
  }
});

test('a job may use the memory it was promised, in the heap and in Buffers, and not much more', async () => {
  assert.equal(await run('holdBoth', { heap: 48, buffers: 60 }), 108);
  await assert.rejects(run('holdBoth', { heap: 120, buffers: 0 }), isUnreadable(/too much memory/));
  await assert.rejects(run('holdBoth', { heap: 0, buffers: 400 }), AppError);
});

test('what is our own fault is not blamed on the file', async () => {
  await assert.rejects(run('killItself'), { code: 'UNAVAILABLE' });
  await assert.rejects(run('lengthOf', '/nowhere/at/all'), { code: 'UNAVAILABLE' });
  await assert.rejects(
    run('noSuchFunction' as never),
    (error) => error instanceof Error && !(error instanceof AppError),
  );
});

test('a function may read a file, but not write one, open a connection or see our environment', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toledo-sandbox-'));
  writeFileSync(join(folder, 'in'), 'twelve bytes');
  assert.equal(await run('lengthOf', join(folder, 'in')), 12);
  await assert.rejects(run('write', join(folder, 'out')), AppError);
  assert.equal(existsSync(join(folder, 'out')), false);
  rmSync(folder, { recursive: true });
  const names = await run('environment');
  assert.deepEqual(
    names.filter((name) => !name.startsWith('NODE_CHANNEL') && name !== 'NODE_COMPILE_CACHE'),
    [],
  );
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await assert.rejects(run('call', typeof address === 'object' ? address?.port : 0), AppError);
  server.close();
});

test('compiled code is shared between children, and no function can put anything there', async () => {
  const compileCache = getCompileCacheDir();
  assert.ok(compileCache, 'the tests run with a cache');
  await run('double', 1);
  for (const folder of [compileCache, dirname(compileCache)]) {
    await assert.rejects(run('write', join(folder, 'planted')), AppError);
    assert.equal(existsSync(join(folder, 'planted')), false);
  }
});

test('endless jobs leave their places to others, and hold back only what their own owner sends next', async () => {
  const pool = new Sandbox({ concurrency: 1, warm: 1, warmMemoryMb: 64, longAfterMs: 300 });
  const limits = { timeoutMs: 4_000, memoryMb: 64 };
  const order: string[] = [];
  const noted = async (name: string, work: Promise<unknown>) => {
    await work.catch(() => {});
    order.push(name);
  };
  try {
    await Promise.all([
      noted('endless', pool.run(jobs, 'loop', undefined, { ...limits, owner: 'one' })),
      noted('next of the same', pool.run(jobs, 'double', 1, { ...limits, owner: 'one' })),
      noted('of another', pool.run(jobs, 'double', 1, { ...limits, owner: 'other' })),
      noted('of nobody', pool.run(jobs, 'double', 1, limits)),
    ]);
  } finally {
    await pool.close();
  }
  assert.deepEqual(order, ['of another', 'of nobody', 'endless', 'next of the same']);
});

test('a package of ours that is missing is not the fault of the input', async () => {
  const pool = new Sandbox({ warmMemoryMb: 64 });
  const late = pool.run(jobs, 'loadLate', 'no-such-package', { timeoutMs: 10_000, memoryMb: 64 });
  await assert.rejects(late, (error) => !(error instanceof AppError) && /no-such-package/.test(String(error)));
  await pool.close();
});

test('with folders given, a function reads only files in them and our own code', async () => {
  const [inside, outside] = ['in', 'out'].map((name) => mkdtempSync(join(tmpdir(), `toledo-sandbox-${name}-`)));
  assert.ok(inside && outside);
  for (const folder of [inside, outside]) writeFileSync(join(folder, 'file'), 'twelve bytes');
  const pool = new Sandbox({ warmMemoryMb: 64, readable: [inside] });
  const length = (path: string) => pool.run(jobs, 'lengthOf', path, { timeoutMs: 10_000, memoryMb: 64 });
  assert.equal(await length(join(inside, 'file')), 12);
  for (const path of [join(outside, 'file'), '/etc/passwd', join(inside, '..', basename(outside), 'file')])
    await assert.rejects(length(path), AppError, path);
  await pool.close();
  for (const folder of [inside, outside]) rmSync(folder, { recursive: true });
});

test('an abort ends a running job at once and takes a waiting one out of the queue', async () => {
  const controller = new AbortController();
  const reason = new Error('the client has gone');
  const all = Array.from({ length: 4 }, () => run('loop', undefined, { signal: controller.signal }));
  setTimeout(() => controller.abort(reason), 100);
  const outcomes = await Promise.allSettled(all);
  for (const outcome of outcomes) assert.equal(outcome.status === 'rejected' && outcome.reason, reason);
  assert.equal(await run('double', 4), 8);
  await assert.rejects(run('double', 4, { signal: controller.signal }), (error) => error === reason);
});

test('jobs start in the order they came, and many at once get each its own result', async () => {
  const pool = new Sandbox({ concurrency: 1, warm: 1, warmMemoryMb: 64 });
  const finished: number[] = [];
  const options = { timeoutMs: 10_000, memoryMb: 64 };
  await Promise.all(
    [40, 0, 20, 5, 0].map((timeMs, at) => pool.run(jobs, 'wait', timeMs, options).then(() => finished.push(at))),
  );
  assert.deepEqual(finished, [0, 1, 2, 3, 4]);
  await pool.close();
  const results = await Promise.all(Array.from({ length: 200 }, (_, index) => run('double', index)));
  assert.deepEqual(
    results,
    Array.from({ length: 200 }, (_, index) => index * 2),
  );
});

test('a child is kept for the next job and replaced after its number of jobs', async () => {
  const pool = new Sandbox({ concurrency: 1, warm: 1, warmMemoryMb: 64, jobsPerProcess: 3 });
  const ids: number[] = [];
  for (let count = 0; count < 6; count += 1)
    ids.push(await pool.run(jobs, 'processId', undefined, { timeoutMs: 5_000, memoryMb: 64 }));
  assert.equal(new Set(ids.slice(0, 3)).size, 1);
  assert.equal(new Set(ids.slice(3)).size, 1);
  assert.notEqual(ids[0], ids[3]);
  await pool.close();
});

test('processes are kept ready, and step back behind those that answer requests', async () => {
  const pool = new Sandbox({ warm: 1, warmMemoryMb: 64, preload: [jobs.url] });
  try {
    const options = { timeoutMs: 10_000, memoryMb: 64 };
    const first = await pool.run(jobs, 'describeProcess', undefined, options);
    const askedAt = performance.timeOrigin + performance.now();
    const next = await pool.run(jobs, 'describeProcess', undefined, options);
    assert.ok(next.startedAt < askedAt, `started ${next.startedAt - askedAt} ms after it was asked for`);
    assert.equal(next.startedAt, first.startedAt);
    assert.ok(next.niceness > getPriority(), String(next.niceness));
    assert.equal(next.session, sessionOfProcess());
  } finally {
    await pool.close();
  }
});

test('a job that needs more memory gets it in a process of its own', async () => {
  const pool = new Sandbox({ warm: 1, warmMemoryMb: 64, preload: [jobs.url] });
  try {
    const small = { timeoutMs: 30_000, memoryMb: 64 };
    const large = { ...small, memoryMb: 256 };
    const usual = await pool.run(jobs, 'processId', undefined, small);
    assert.notEqual(await pool.run(jobs, 'processId', undefined, large), usual);
    assert.equal(await pool.run(jobs, 'holdBoth', { heap: 180, buffers: 20 }, large), 200);
    assert.equal(await pool.run(jobs, 'processId', undefined, small), usual);
    await assert.rejects(
      pool.run(jobs, 'holdBoth', { heap: 180, buffers: 20 }, small),
      isUnreadable(/too much memory/),
    );
  } finally {
    await pool.close();
  }
});

test('an owner that has a job under way lets another owner go first', async () => {
  const pool = new Sandbox({ concurrency: 2, warm: 2, warmMemoryMb: 64, preload: [jobs.url] });
  const started: string[] = [];
  const host = { add: async () => 0, never: async () => {} };
  const owned = (owner: string) => {
    const noted = { ...host, add: async () => started.push(owner) };
    return pool.run(jobs, 'addAll', [1], { memoryMb: 64, owner, host: noted });
  };
  const controller = new AbortController();
  const endless = pool.run(jobs, 'wait', 600_000, { memoryMb: 64, owner: 'one', signal: controller.signal });
  try {
    // The second place is taken; behind it another job of the same owner came first.
    await Promise.all([owned('none'), owned('one'), owned('other')]);
    assert.ok(started.indexOf('other') < started.indexOf('one'), started.join());
  } finally {
    controller.abort();
    await endless.catch(() => {});
    await pool.close();
  }
});

test('a job that its caller admits waits for no place', async () => {
  const pool = new Sandbox({ concurrency: 1, warm: 1, warmMemoryMb: 64, preload: [jobs.url] });
  const limits = { memoryMb: 64, owner: 'one' };
  const controller = new AbortController();
  const endless = pool.run(jobs, 'loop', undefined, { ...limits, signal: controller.signal });
  try {
    assert.equal(await pool.run(jobs, 'double', 4, { ...limits, startsAtOnce: true }), 8);
  } finally {
    controller.abort();
    await endless.catch(() => {});
    await pool.close();
  }
});

test('closing ends every child, and jobs under way and waiting fail with UNAVAILABLE', async () => {
  const pool = new Sandbox({ concurrency: 1, warm: 1, warmMemoryMb: 64 });
  const options = { timeoutMs: 60_000, memoryMb: 64 };
  const id = await pool.run(jobs, 'processId', undefined, options);
  const all = Promise.allSettled([pool.run(jobs, 'loop', undefined, options), pool.run(jobs, 'double', 1, options)]);
  await pool.close();
  for (const outcome of await all) assert.equal(outcome.status === 'rejected' && outcome.reason.code, 'UNAVAILABLE');
  assert.throws(() => process.kill(id, 0), { code: 'ESRCH' });
  await assert.rejects(pool.run(jobs, 'double', 1, options), { code: 'UNAVAILABLE' });
});

test('a job goes on through Ctrl-C, which the service answers by ending its jobs in order', async () => {
  assert.equal(await run('interruptItself', 50), 'done');
});

test('idle children do not keep a process alive, and a killed parent takes its busy children along', async () => {
  const program = (then: string) => `
    import { Sandbox } from ${JSON.stringify(new URL('../../src/sandbox/sandbox.ts', import.meta.url).href)};
    const pool = new Sandbox({ warmMemoryMb: 64 });
    const jobs = { url: new URL(${JSON.stringify(jobs.url.href)}) };
    console.log(await pool.run(jobs, 'processId', 0, { timeoutMs: 60000, memoryMb: 64 }));
    ${then}`;
  const start = (then: string) =>
    spawn(process.execPath, ['--input-type=module-typescript', '-e', program(then)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  // Exit code 13 would mean that a process ended while it waited for the close.
  for (const then of ['', 'await pool.close();']) {
    const idle = start(then);
    assert.equal(await new Promise((resolve) => idle.once('exit', resolve)), 0);
  }
  const busy = start(
    "await Promise.all([1, 2].map(() => pool.run(jobs, 'loop', 0, { timeoutMs: 60000, memoryMb: 64 })));",
  );
  const [id] = await Array.fromAsync(busy.stdout, (chunk) => {
    busy.kill('SIGKILL');
    return Number(String(chunk));
  });
  const deadline = Date.now() + 3_000;
  while (isAlive(id ?? 0)) assert.ok(Date.now() < deadline, 'the child outlives its parent');
});

test('a child that cannot be started fails its job with UNAVAILABLE; the parent goes on and later starts one', async () => {
  // An argument that is too long makes `fork` throw, as a lack of memory does; a lack of descriptors is told by an event.
  const program = `
    import { closeSync, openSync } from 'node:fs';
    import { Sandbox } from ${JSON.stringify(new URL('../../src/sandbox/sandbox.ts', import.meta.url).href)};
    const jobs = { url: new URL(${JSON.stringify(jobs.url.href)}) };
    const double = (pool) => pool.run(jobs, 'double', 21, { timeoutMs: 60000, memoryMb: 64 }).catch(({ code }) => code);
    console.log(await double(new Sandbox({ preload: [new URL('file:///' + 'x'.repeat(200000))] })));
    const pool = new Sandbox({ warm: 0 });
    const taken = [];
    try {
      for (;;) taken.push(openSync('/dev/null'));
    } catch {}
    console.log(await double(pool));
    for (const each of taken) closeSync(each);
    console.log(await double(pool));`;
  const node = [process.execPath, '--input-type=module-typescript', '-e', program];
  const parent = spawn('sh', ['-c', 'ulimit -n 80 && exec "$@"', 'sh', ...node], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed = (await Array.fromAsync(parent.stdout, String)).join('');
  assert.deepEqual(printed.trim().split('\n'), ['UNAVAILABLE', 'UNAVAILABLE', '42']);
});

test('a job asks its host, many calls at a time, and gives up calls that it no longer needs', async () => {
  const abandoned: number[] = [];
  const host = {
    add: async ({ a, b }: { a: number; b: number }) => a + b,
    never: (value: number, signal: AbortSignal) =>
      new Promise<void>(() => signal.addEventListener('abort', () => abandoned.push(value))),
  };
  const options = { memoryMb: 64, host };
  assert.equal(await sandbox.run(jobs, 'addAll', [1, 2, 3, 4], options), 10);
  assert.equal(await sandbox.run(jobs, 'giveUpWaiting', 7, options), 'gave up');
  assert.deepEqual(abandoned, [7]);
});

test('a call that fails in the parent ends the job with that very error, and cancels the other calls', async () => {
  class OwnError extends Error {}
  const error = new OwnError('no longer ours');
  let cancelled = false;
  const host = {
    add: async () => Promise.reject(error),
    never: (_value: number, signal: AbortSignal) =>
      new Promise<void>(() =>
        signal.addEventListener('abort', () => {
          cancelled = true;
        }),
      ),
  };
  await assert.rejects(sandbox.run(jobs, 'waitForHost', 1, { memoryMb: 64, host }), (thrown) => thrown === error);
  assert.ok(cancelled);
});

test('a job that is stopped gives up its calls to the host, so that no engine works for it any more', async () => {
  const stop = new AbortController();
  const reason = new Error('the task is cancelled');
  let givenUp = 0;
  const host = {
    add: async () => 0,
    never: (_value: number, signal: AbortSignal) => {
      signal.addEventListener('abort', () => givenUp++);
      stop.abort(reason);
      return new Promise<void>(() => {});
    },
  };
  const options = { memoryMb: 64, host, signal: stop.signal };
  await assert.rejects(sandbox.run(jobs, 'waitForHost', 1, options), (thrown) => thrown === reason);
  assert.equal(givenUp, 1);
});

test('processor time counts, time spent waiting for the host does not', async () => {
  const host = {
    add: async ({ a, b }: { a: number; b: number }) => {
      await new Promise((resolve) => setTimeout(resolve, 900));
      return a + b;
    },
    never: async () => {},
  };
  const options = { memoryMb: 64, processorMs: 700, blame: 'processing', host } as const;
  assert.equal(await sandbox.run(jobs, 'addAll', [1, 2], options), 3);
  await assert.rejects(sandbox.run(jobs, 'loopBesideCall', 1, options), {
    code: 'BAD_REQUEST',
    details: { reason: 'PROCESSING_LIMIT' },
  });
});

test('a job that works for long on readable text is blamed for its limits, and we for our exceptions', async () => {
  const processing = { blame: 'processing' } as const;
  const limit = { code: 'BAD_REQUEST', details: { reason: 'PROCESSING_LIMIT' } };
  await assert.rejects(run('fillHeap', undefined, processing), limit);
  await assert.rejects(run('loop', undefined, { ...processing, processorMs: 300 }), limit);
  await assert.rejects(run('fail', undefined, processing), (error) => !(error instanceof AppError));
});

test('the name and the argument of a job are those of its module', () => {
  const unused = () => [
    // @ts-expect-error there is no such function
    sandbox.run(jobs, 'duble', 1, { memoryMb: 64 }),
    // @ts-expect-error the function takes a number
    sandbox.run(jobs, 'double', 'one', { memoryMb: 64 }),
    // @ts-expect-error the function needs a host
    sandbox.run(jobs, 'addAll', [1], { memoryMb: 64 }),
  ];
  assert.equal(typeof unused, 'function');
});

test('eight failures leave the memory of the parent where it was', async () => {
  const before = process.memoryUsage().rss;
  for (let count = 0; count < 2; count += 1) {
    await Promise.allSettled([
      run('hugeResult', 70 * 1024 * 1024),
      run('overflow', 0),
      run('exit', 1),
      run('fillBuffers'),
    ]);
  }
  const grown = process.memoryUsage().rss - before;
  assert.ok(grown < 30e6, `${Math.round(grown / 1e6)} MB more`);
});

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}
