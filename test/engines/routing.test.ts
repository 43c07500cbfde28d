import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createEngineCatalog, type EngineCatalog } from '../../src/engines/catalog.ts';
import type { Engine, TranslateRequest } from '../../src/engines/engine.ts';
import type { EndedCall } from '../../src/engines/routing/engine-gate.ts';
import { createSandboxEngine } from '../../src/engines/sandbox/sandbox-engine.ts';
import { seeded } from '../support/simulated-llm/random.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';
import { createVirtualServer, requestOf, type VirtualServer } from './virtual-server.ts';

const signal = new AbortController().signal;
const mine = { account: 'a', task: 't', signal };
const pair = { sourceLang: 'zh-Hans', targetLang: 'en' };

function world(options: { capacity?: number } = {}): {
  clock: VirtualClock;
  server: VirtualServer;
  catalog(engines?: Engine[], hooks?: { onCall(call: EndedCall): void }): EngineCatalog;
} {
  const clock = createVirtualClock();
  const server = createVirtualServer(clock, options);
  let draws = 0;
  return {
    clock,
    server,
    catalog: (engines = [server.engine()], hooks) =>
      createEngineCatalog({ engines }, { clock, random: () => seeded(9, draws++), ...(hooks ? { hooks } : {}) }),
  };
}

/** Starts `count` calls of 560 to 1,120 answer tokens, longest first as the pipeline sends them. */
function startMany(catalog: EngineCatalog, count: number, onDone: (workMs: number) => void = () => {}): Promise<void> {
  const sizes = Array.from({ length: count }, (_, index) => 560 + Math.floor(560 * seeded(1, 'tokens', index)));
  const calls = sizes
    .sort((a, b) => b - a)
    .map(async (tokens) => {
      await catalog.translate(requestOf(tokens), mine);
      onDone(600 + 20 * tokens);
    });
  return Promise.all(calls).then(() => {});
}

describe('calls that take far too long', () => {
  test('one in forty hangs: each is asked again beside it, answered once, and at most 3 % are extra', async () => {
    const { clock, server, catalog: catalogOf } = world({ capacity: 32 });
    const ended: EndedCall[] = [];
    const hooks = { onCall: (call: EndedCall) => void ended.push(call) };
    const catalog = catalogOf([server.engine({ maxConcurrency: 32 })], hooks);
    server.hangs = (call) => call % 40 === 39;
    const count = 470;
    let workMs = 0;
    await clock.until(startMany(catalog, count, (ms) => (workMs += ms)));
    const hung = Math.floor(server.calls.length / 40);
    assert.ok(server.calls.length - count <= 0.03 * count + 2, `${server.calls.length} calls`);
    assert.equal(server.active, 0, 'what was overtaken is cancelled');
    const counted = Object.groupBy(ended, ({ outcome }) => outcome);
    assert.deepEqual([counted.ok?.length, counted.overtaken?.length], [count, hung], 'every call ends once');
    assert.equal(catalog.status()[0]?.secondCalls, hung);
    assert.ok(clock.now() / (workMs / 32) <= 1.4, `makespan ${clock.now() / (workMs / 32)}`);
  });

  test('one in five hangs: beyond the share of second asks a late call ends as a timeout, and nothing is lost', async () => {
    const { clock, server, catalog: catalogOf } = world({ capacity: 32 });
    const catalog = catalogOf([server.engine({ maxConcurrency: 32 })]);
    await clock.until(startMany(catalog, 40));
    const before = server.calls.length;
    // Not all four tries of one call: that would be lost here, and is asked again by the book.
    const hung = new Map<TranslateRequest, number>();
    server.hangs = (call, request) => {
      const times = hung.get(request) ?? 0;
      if (call % 5 !== 0 || times >= 3) return false;
      hung.set(request, times + 1);
      return true;
    };
    await clock.until(startMany(catalog, 200));
    const [status] = catalog.status();
    assert.ok((status?.secondCalls ?? 0) <= 0.03 * (server.calls.length - before) + 4, `${status?.secondCalls}`);
    assert.ok((status?.faults.timeout ?? 0) > 10, `${status?.faults.timeout}`);
    assert.equal(server.active, 0);
  });

  test('an engine on this machine is never asked twice: it would only be slower', async () => {
    const { clock, server } = world({ capacity: 32 });
    const engine = server.engine({ maxConcurrency: 32 });
    const capabilities = { ...engine.capabilities, local: true as const };
    const catalog = createEngineCatalog({ engines: [{ ...engine, capabilities }] }, { clock });
    server.hangs = (call) => call === 60;
    await clock.until(startMany(catalog, 100));
    assert.deepEqual([server.calls.length, catalog.status()[0]?.secondCalls], [100, 0]);
  });

  test('calls of all lengths are never asked twice while they take as long as calls of their length do', async () => {
    const { clock, server, catalog } = world({ capacity: 32 });
    const sizes = Array.from({ length: 200 }, (_, index) => 40 + Math.floor(2_000 * seeded(1, 'length', index)));
    const engines = catalog();
    const calls = sizes.map((size) =>
      engines.translate({ ...requestOf(size / 4), blocks: [{ id: '1', text: 'x'.repeat(size) }] }, mine),
    );
    await clock.until(Promise.all(calls));
    assert.equal(engines.status()[0]?.secondCalls, 0);
    assert.ok(server.calls.filter(({ refused }) => !refused).length === sizes.length);
  });
});

describe('adaptive concurrency', () => {
  for (const [capacity, count] of [
    [32, 470],
    [5, 80],
    [1, 15],
  ] as const) {
    test(`finds a capacity of ${capacity}: makespan within 1.2 of the limit and few refused calls`, async () => {
      for (const streams of [false, true]) {
        const { clock, server, catalog } = world({ capacity });
        server.streams = streams;
        let workMs = 0;
        await clock.until(startMany(catalog(), count, (ms) => (workMs += ms)));
        const ratio = clock.now() / (workMs / capacity);
        assert.ok(ratio <= 1.2, `makespan ${ratio}`);
        assert.ok(server.calls.length <= count * 1.2 + 10, `${server.calls.length} calls`);
        assert.equal(server.highWater, capacity);
      }
    });
  }

  test('a server that streams is full after three rounds of first words, before any answer is complete', async () => {
    const { clock, server, catalog: catalogOf } = world({ capacity: 32 });
    server.streams = true;
    const catalog = catalogOf([server.engine({ maxConcurrency: 32 })]);
    await clock.until(startMany(catalog, 64));
    const inUse = server.calls.filter(({ at }) => at <= 3 * 600).length;
    assert.equal(inUse, 32);
    assert.ok(server.calls.every(({ refused }) => !refused));
  });

  test('a wait asked for with every refusal does not cost the rate', async () => {
    const { clock, server, catalog } = world({ capacity: 32 });
    server.retryAfterMs = 1_000;
    let workMs = 0;
    await clock.until(startMany(catalog(), 470, (ms) => (workMs += ms)));
    assert.ok(clock.now() / (workMs / 32) <= 1.2, String(clock.now() / (workMs / 32)));
  });

  test('follows a cut from 32 to 8 in mid-run: within 1.1 of the new limit, at most 20 % extra calls', async () => {
    const { clock, server, catalog } = world({ capacity: 32 });
    let workMs = 0;
    let done = 0;
    let cut = { atMs: 0, workMs: 0 };
    const all = startMany(catalog(), 470, (ms) => {
      workMs += ms;
      done += 1;
      if (done !== 190) return;
      cut = { atMs: clock.now(), workMs };
      server.capacity = 8;
    });
    await clock.until(all);
    const ratio = (clock.now() - cut.atMs) / ((workMs - cut.workMs) / 8);
    assert.ok(ratio <= 1.1, `makespan after the cut ${ratio}`);
    assert.ok(server.calls.length <= 470 * 1.2, `${server.calls.length} calls`);
  });

  test('finds more room when there is more again', async () => {
    const { clock, server, catalog } = world({ capacity: 8 });
    const engines = catalog();
    let done = 0;
    const all = startMany(engines, 470, () => {
      done += 1;
      if (done === 60) server.capacity = 32;
    });
    await clock.until(all);
    assert.ok(server.highWater >= 20, `${server.highWater} at once`);
  });

  test('stays under the configured ceiling', async () => {
    const { clock, server, catalog } = world({ capacity: 100 });
    await clock.until(startMany(catalog([server.engine({ maxConcurrency: 12 })]), 100));
    assert.equal(server.highWater, 12);
    assert.equal(server.calls.length, 100);
  });

  test('three processes share one server without talking: full use, nobody starves', async () => {
    const { clock, catalog } = world({ capacity: 30 });
    const processes = [catalog(), catalog(), catalog()];
    const served = [0, 0, 0];
    const all = Promise.all(
      processes.map((each, index) => startMany(each, 600, () => (served[index] = (served[index] ?? 0) + 1))),
    );
    await clock.advance(300_000);
    const before = [...served];
    await clock.advance(300_000);
    const rates = served.map((count, index) => count - (before[index] ?? 0));
    assert.ok(Math.min(...rates) >= 0.4 * Math.max(...rates), `rates ${rates}`);
    const inFlight = processes.reduce((sum, each) => sum + (each.status()[0]?.inFlight ?? 0), 0);
    assert.ok(inFlight >= 27, `${inFlight} in flight`);
    await clock.until(all);
  });

  for (const streams of [false, true]) {
    const kind = streams ? 'streams' : 'does not stream';
    test(`a server that ${kind}, and queues instead of refusing, is not drowned`, async () => {
      const { clock, server, catalog } = world({ capacity: 8 });
      server.queues = true;
      server.streams = streams;
      const engines = catalog([server.engine({ maxConcurrency: 128 })]);
      const all = startMany(engines, 500);
      await clock.advance(400_000);
      assert.ok((engines.status()[0]?.limit ?? 999) <= 64, String(engines.status()[0]?.limit));
      await clock.until(all);
    });
  }
});

describe('circuit breaker', () => {
  test('an outage of five minutes: few calls, at most one probe per 10 s, back within 30 s, nothing lost', async () => {
    const { clock, server, catalog } = world({ capacity: 32 });
    const engines = catalog();
    let done = 0;
    const all = startMany(engines, 400, () => (done += 1));
    await clock.advance(60_000);
    const [doneBefore, callsBefore] = [done, server.calls.length];
    server.fault = 'overloaded';
    await clock.advance(1_000);
    const inFlight = engines.status()[0]?.inFlight ?? 0;
    await clock.advance(299_000);
    const during = server.calls.slice(callsBefore);
    assert.ok(during.length <= inFlight + 10 + 30, `${during.length} calls in the outage`);
    const [first] = during;
    const probes = during.map((call) => call.at).filter((at) => at > (first?.at ?? 0) + 30_000);
    for (const [index, at] of probes.entries()) {
      if (index > 0) assert.ok(at - (probes[index - 1] ?? 0) >= 10_000, `probes ${probes}`);
    }
    server.fault = undefined;
    await clock.advance(15_000);
    const { state, inFlight: working } = engines.status()[0] ?? {};
    assert.deepEqual([state, (working ?? 0) >= 32, done >= doneBefore], ['closed', true, true], `${working} in flight`);
    await clock.until(all);
    assert.ok(server.calls.length <= 400 * 1.2, `${server.calls.length} calls in all`);
  });

  test('opens after at most 10 failures', async () => {
    const { clock, server, catalog } = world();
    server.fault = 'transport';
    const engines = catalog([server.engine({ maxConcurrency: 1 })]);
    const all = startMany(engines, 50);
    await clock.advance(8_000);
    assert.equal(engines.status()[0]?.state, 'open');
    assert.ok(server.calls.length <= 10, `${server.calls.length}`);
    server.fault = undefined;
    await clock.until(all);
  });

  test('one random fault in four is no outage', async () => {
    const { clock, server } = world();
    const engine = server.engine({ maxConcurrency: 32 });
    let calls = 0;
    // Not all four tries of one call: that would be the fault of luck.
    const failed = new Map<TranslateRequest, number>();
    const flaky: Engine = {
      ...engine,
      translate(request, callSignal) {
        const times = failed.get(request) ?? 0;
        const fails = seeded(3, 'fault', calls++) < 0.25 && times < 3;
        if (fails) failed.set(request, times + 1);
        server.fault = fails ? 'overloaded' : undefined;
        return engine.translate(request, callSignal);
      },
    };
    const states: string[] = [];
    const engines = createEngineCatalog(
      { engines: [flaky] },
      { clock, random: () => 0.5, hooks: { onBreaker: ({ state }) => states.push(state) } },
    );
    await clock.until(startMany(engines, 200));
    assert.deepEqual(states, []);
  });

  test('when an engine stays down the caller is told when to come back', async () => {
    const { clock, server, catalog } = world();
    server.fault = 'overloaded';
    const engines = catalog();
    const outcome = Promise.all(
      Array.from({ length: 20 }, () => engines.translate(requestOf(10), mine).catch((error: unknown) => error)),
    );
    const errors = (await clock.until(outcome)) as { kind?: string; retryAfterMs?: number }[];
    assert.ok(errors.every((error) => error.kind === 'overloaded'));
    assert.ok(clock.now() >= 15 * 60_000 && clock.now() < 17 * 60_000, String(clock.now()));
    server.fault = undefined;
    await clock.advance(errors[0]?.retryAfterMs ?? 0);
    assert.equal((await clock.until(engines.translate(requestOf(10), mine))).finish, 'complete');
  });
});

describe('waiting and retrying', () => {
  test('Retry-After of 120 s means no call for 120 s, from anybody', async () => {
    const { clock, server, catalog } = world();
    const engines = catalog();
    server.fault = 'rate-limited';
    server.faultRetryAfterMs = 120_000;
    const all = startMany(engines, 30);
    await clock.advance(1_000);
    server.fault = undefined;
    const sent = server.calls.length;
    assert.ok(sent <= 10, `${sent}`);
    await clock.advance(118_900);
    assert.equal(server.calls.length, sent);
    await clock.until(all);
  });

  test('a wait longer than our patience is handed to the caller at once', async () => {
    const { clock, server, catalog } = world();
    server.fault = 'overloaded';
    server.faultRetryAfterMs = 6 * 3_600_000;
    const error = (await clock.until(
      catalog()
        .translate(requestOf(10), mine)
        .catch((reason: unknown) => reason),
    )) as { retryAfterMs?: number };
    assert.ok((error.retryAfterMs ?? 0) > 5.9 * 3_600_000, String(error.retryAfterMs));
    assert.ok(clock.now() < 60_000);
    assert.equal(server.calls.length, 1);
  });

  test('rejected, refused, malformed and spend-limit answers are never repeated', async () => {
    for (const kind of ['rejected', 'malformed', 'spend-limit', 'too-long', 'bad-input', 'unusable'] as const) {
      const { clock, server, catalog } = world();
      server.fault = kind;
      const outcome = clock.until(catalog().translate(requestOf(10), mine));
      await assert.rejects(outcome, { kind });
      assert.equal(server.calls.length, 1, kind);
    }
    const { clock, server, catalog } = world();
    server.fault = 'refused';
    const outcome = await clock.until(catalog().translate(requestOf(10), mine));
    assert.deepEqual([outcome.finish, outcome.provider, server.calls.length], ['refused', 'virtual', 1]);
  });

  test('passing faults are repeated at most four times per request, with growing random waits', async () => {
    const { clock, server, catalog } = world();
    server.fault = 'timeout';
    await assert.rejects(clock.until(catalog().translate(requestOf(10), mine)), { kind: 'timeout' });
    assert.equal(server.calls.length, 4);
  });

  test('endless refusals without a wait slow down instead of hammering', async () => {
    const { clock, server, catalog } = world({ capacity: 0 });
    const engines = catalog();
    const cancel = new AbortController();
    const line = Promise.allSettled(
      Array.from({ length: 300 }, () => engines.translate(requestOf(10), { ...mine, signal: cancel.signal })),
    );
    await clock.advance(300_000);
    assert.ok(server.calls.length <= 60, `${server.calls.length} calls in five minutes`);
    cancel.abort();
    await clock.until(line);
  });

  test('repeated calls stay within a fifth of the first ones', async () => {
    const { clock, server, catalog } = world();
    const engine = server.engine({ maxConcurrency: 32 });
    let calls = 0;
    const flaky: Engine = {
      ...engine,
      translate(request, callSignal) {
        server.fault = seeded(4, 'fault', calls++) < 0.15 ? 'transport' : undefined;
        return engine.translate(request, callSignal);
      },
    };
    await clock.until(startMany(catalog([flaky]), 1_000));
    assert.ok(calls <= 1_200 + 20, `${calls}`);
  });

  test('a cancelled request leaves the line and its slot', async () => {
    const { clock, server, catalog } = world();
    const engines = catalog([server.engine({ maxConcurrency: 1 })]);
    const cancel = new AbortController();
    const running = engines.translate(requestOf(900), { ...mine, signal: cancel.signal });
    const waiting = engines.translate(requestOf(900), { ...mine, signal: cancel.signal });
    await clock.advance(100);
    cancel.abort(new Error('cancelled'));
    await assert.rejects(running, /cancelled/);
    await assert.rejects(waiting, /cancelled/);
    assert.deepEqual([engines.status()[0]?.inFlight, engines.status()[0]?.waiting], [0, 0]);
    assert.equal((await clock.until(engines.translate(requestOf(10), mine))).finish, 'complete');
  });
});

describe('failover and routes', () => {
  for (const kind of ['spend-limit', 'rejected', 'transport', 'overloaded', 'timeout'] as const) {
    test(`${kind} on the first engine: the second answers`, async () => {
      const { clock, server, catalog } = world();
      server.fault = kind;
      const backup = createVirtualServer(clock);
      const engines = catalog([server.engine({ name: 'first' }), backup.engine({ name: 'second' })]);
      const results = await clock.until(
        Promise.all(Array.from({ length: 40 }, () => engines.translate(requestOf(10), mine))),
      );
      assert.ok(results.every((result) => result.engine.name === 'second'));
      assert.ok(
        server.calls.length <= (kind === 'rejected' ? 40 : 24),
        `${server.calls.length} calls to the broken engine`,
      );
    });
  }

  test('the first engine is used again once it is back', async () => {
    const { clock, server, catalog } = world();
    const backup = createVirtualServer(clock);
    const engines = catalog([server.engine({ name: 'first' }), backup.engine({ name: 'second' })]);
    server.fault = 'transport';
    await clock.until(Promise.all(Array.from({ length: 20 }, () => engines.translate(requestOf(10), mine))));
    server.fault = undefined;
    await clock.advance(30_000);
    await clock.until(engines.translate(requestOf(10), mine));
    assert.equal((await clock.until(engines.translate(requestOf(10), mine))).engine.name, 'first');
  });

  test('with every engine down nothing spins: the calls wait and finish later', async () => {
    const { clock, server, catalog } = world();
    const backup = createVirtualServer(clock);
    server.fault = 'transport';
    backup.fault = 'overloaded';
    const engines = catalog([server.engine({ name: 'first' }), backup.engine({ name: 'second' })]);
    const all = startMany(engines, 60);
    await clock.advance(120_000);
    const sent = server.calls.length + backup.calls.length;
    assert.ok(sent <= 120, `${sent} calls`);
    server.fault = undefined;
    backup.fault = undefined;
    await clock.until(all.catch(() => {}));
  });

  test('an engine can be asked for by its place, and no other answers', async () => {
    const { clock, server, catalog } = world();
    const engines = catalog([server.engine({ name: 'first' }), createVirtualServer(clock).engine({ name: 'second' })]);
    assert.equal(engines.enginesFor(pair).length, 2);
    assert.equal(
      (await clock.until(engines.translate(requestOf(10), { ...mine, engineIndex: 1 }))).engine.name,
      'second',
    );
    await assert.rejects(engines.translate(requestOf(10), { ...mine, engineIndex: 2 }), { kind: 'rejected' });
  });

  test('routes and capabilities choose by language', () => {
    const engine = (name: string, targetLanguages?: string[]): Engine => {
      const base = createSandboxEngine({ name });
      return {
        ...base,
        capabilities: {
          ...base.capabilities,
          ...(targetLanguages === undefined ? {} : { pairs: [{ target: targetLanguages }] }),
        },
      };
    };
    const catalog = createEngineCatalog({
      engines: [engine('general'), engine('asian', ['ja', 'zh-Hant']), engine('spare')],
      routes: [{ source: 'zh-Hans', target: undefined, engines: [['asian'], ['general']] }],
    });
    const names = (sourceLang: string, targetLang: string): string[] =>
      catalog.enginesFor({ sourceLang, targetLang }).map(({ name }) => name);
    assert.deepEqual(names('en', 'fr'), ['general', 'spare']);
    assert.deepEqual(names('en', 'zh-TW'), ['general', 'asian', 'spare']);
    assert.deepEqual(names('zh-CN', 'ja'), ['asian', 'general']);
    assert.deepEqual(names('zh', 'en-x-fail'), ['general']);
  });

  test('engines of one rank share calls by free room, and the next rank gets none', async () => {
    const clock = createVirtualClock();
    const [small, large, spare] = [4, 12, 100].map((capacity) => createVirtualServer(clock, { capacity }));
    assert.ok(small && large && spare);
    const engines = [
      small.engine({ name: 'small', maxConcurrency: 4 }),
      large.engine({ name: 'large', maxConcurrency: 12 }),
      spare.engine({ name: 'spare' }),
    ];
    const routes = [{ source: undefined, target: undefined, engines: [['small', 'large'], ['spare']] }];
    const catalog = createEngineCatalog({ engines, routes }, { clock });
    let workMs = 0;
    await clock.until(startMany(catalog, 160, (ms) => (workMs += ms)));
    assert.deepEqual([small.highWater, large.highWater, spare.calls.length], [4, 12, 0]);
    assert.ok(clock.now() / (workMs / 16) <= 1.15, `makespan ${clock.now() / (workMs / 16)}`);
    const share = small.calls.length / 160;
    assert.ok(share > 0.2 && share < 0.3, `a quarter of the places, ${share} of the calls`);
  });

  test('calls that wait for an engine of a rank go to the other one when it stops answering', async () => {
    const clock = createVirtualClock();
    const [one, other] = [createVirtualServer(clock), createVirtualServer(clock)];
    const engines = [
      one.engine({ name: 'one', maxConcurrency: 4 }),
      other.engine({ name: 'other', maxConcurrency: 4 }),
    ];
    const routes = [{ source: undefined, target: undefined, engines: [['one', 'other']] }];
    const catalog = createEngineCatalog({ engines, routes }, { clock });
    const all = startMany(catalog, 40);
    await clock.advance(1_000);
    one.fault = 'rate-limited';
    one.faultRetryAfterMs = 4_000;
    await clock.advance(30_000);
    one.fault = undefined;
    await clock.until(all);
    assert.ok(other.calls.length > one.calls.length, `${one.calls.length} and ${other.calls.length}`);
  });

  test('what an engine says is left of its limit is kept, so that it refuses nothing', async () => {
    const clock = createVirtualClock();
    const server = createVirtualServer(clock);
    const engine = server.engine({ maxConcurrency: 4 });
    let left = 5;
    let endsAt = 60_000;
    let refused = 0;
    const limited: Engine = {
      ...engine,
      async translate(request, callSignal, notes) {
        if (clock.now() >= endsAt) [left, endsAt] = [5, clock.now() + 60_000];
        if (left === 0) refused += 1;
        left = Math.max(0, left - 1);
        notes?.onAllowances?.([{ unit: 'requests', remaining: left, resetMs: endsAt - clock.now() }]);
        return await engine.translate(request, callSignal);
      },
    };
    const catalog = createEngineCatalog({ engines: [limited] }, { clock });
    await clock.until(startMany(catalog, 20));
    assert.equal(refused, 0);
    assert.ok(clock.now() >= 180_000 && clock.now() < 240_000, String(clock.now()));
  });

  test('an engine that finds no terms is passed over for extraction', async () => {
    const { clock, server, catalog } = world();
    const engines = catalog([server.engine({ name: 'blind' }), createSandboxEngine()]);
    const result = await clock.until(
      engines.extractTerms({ ...pair, text: '李明来了', candidates: ['李明'], known: [] }, mine),
    );
    assert.equal(result.engine.name, 'sandbox');
  });
});

describe('fair turns', () => {
  test('a short task of another account is not behind a novel', async () => {
    const { clock, server, catalog } = world();
    const engines = catalog([server.engine({ maxConcurrency: 4 })]);
    const novel = Promise.all(
      Array.from({ length: 200 }, () => engines.translate(requestOf(900), { account: 'big', task: 'novel', signal })),
    );
    await clock.advance(60_000);
    const startedAt = clock.now();
    await clock.until(
      Promise.all(
        Array.from({ length: 3 }, () => engines.translate(requestOf(900), { account: 'small', task: 'note', signal })),
      ),
    );
    // Alone it would take one call of 18.6 s; with a turn to wait for and half of the four slots, three.
    assert.ok(clock.now() - startedAt <= 3 * 18_600, String(clock.now() - startedAt));
    await clock.until(novel);
  });

  test('accounts share evenly however many tasks they start, and tasks share within an account', async () => {
    const { clock, server, catalog } = world();
    const engines = catalog([server.engine({ maxConcurrency: 6 })]);
    const served = new Map<string, number>();
    const start = (account: string, task: string): void => {
      for (let index = 0; index < 200; index++) {
        engines.translate(requestOf(100), { account, task, signal }).then(
          () => served.set(task, (served.get(task) ?? 0) + 1),
          () => {},
        );
      }
    };
    for (const task of ['a1', 'a2', 'a3']) start('a', task);
    start('b', 'b1');
    await clock.advance(100_000);
    const count = (task: string): number => served.get(task) ?? 0;
    const a = count('a1') + count('a2') + count('a3');
    assert.ok(Math.abs(a - count('b1')) <= 10, `${a} and ${count('b1')}`);
    // The first task had all six slots before the others asked.
    assert.ok(Math.abs(count('a1') - count('a3')) <= 7, `${count('a1')} and ${count('a3')}`);
  });
});
