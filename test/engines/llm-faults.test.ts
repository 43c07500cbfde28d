import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine } from '../../src/engines/create-engine.ts';
import type { Engine, TranslateRequest } from '../../src/engines/engine.ts';
import { EngineError, type EngineFaultKind } from '../../src/engines/engine-error.ts';
import { parseEngines } from '../../src/engines/engine-settings.ts';
import { startIndiscreetEngine } from '../support/indiscreet-engine.ts';
import { type FaultKind, faultKinds } from '../support/simulated-llm/faults.ts';
import { type SimulatedLlm, startSimulatedLlm } from '../support/simulated-llm/server.ts';

const { signal } = new AbortController();
const request: TranslateRequest = {
  sourceLang: 'zh-Hans',
  targetLang: 'en',
  blocks: ['风起。', '云涌，雨来。', '夜深了。', '人静。'].map((text, index) => ({ id: `p${index}`, text })),
  terms: [],
  roster: [],
  context: { before: [], after: [] },
};

/** What the engine makes of each fault: an error kind, or a result with these ids. */
const expected: Readonly<Record<FaultKind, EngineFaultKind | { finish: string; ids: string[] }>> = {
  'rate-limit-1': 'rate-limited',
  'rate-limit-120': 'rate-limited',
  'rate-limit-date': 'rate-limited',
  'rate-limit-none': 'rate-limited',
  'spend-limit': 'spend-limit',
  'server-500': 'overloaded',
  'server-503': 'overloaded',
  'overloaded-529': 'overloaded',
  'refused-connection': 'transport',
  'hang-before': 'timeout',
  'hang-during': 'timeout',
  reset: 'transport',
  truncation: { finish: 'truncated', ids: ['p0', 'p1'] },
  empty: 'malformed',
  refusal: { finish: 'refused', ids: [] },
  'bad-json': 'malformed',
  'missing-ids': { finish: 'complete', ids: ['p0', 'p2', 'p3'] },
  'extra-ids': { finish: 'complete', ids: ['p0', 'p1', 'p2', 'p3'] },
  'swapped-ids': { finish: 'complete', ids: ['p0', 'p1', 'p2', 'p3'] },
  'duplicated-ids': { finish: 'complete', ids: ['p1', 'p2', 'p3'] },
  echo: { finish: 'complete', ids: ['p0', 'p1', 'p2', 'p3'] },
  'wrong-language': { finish: 'complete', ids: ['p0', 'p1', 'p2', 'p3'] },
  obey: { finish: 'complete', ids: ['p0', 'p1', 'p2', 'p3'] },
};

for (const kind of ['openai-compatible', 'openai', 'anthropic', 'google'] as const) {
  describe(`${kind} reports every fault of a server as what it is`, () => {
    let simulated: SimulatedLlm;
    let engine: Engine;
    /** With a short time limit, for servers that hang. */
    let hurried: Engine;
    before(async () => {
      simulated = await startSimulatedLlm({ timeScale: 0.001 });
      const { engines } = parseEngines(
        JSON.stringify({
          engines: [
            { name: 'e', kind, base_url: simulated.url, model: 'any', api_key: 'k', structured_output: 'schema' },
          ],
        }),
      );
      const [config] = engines;
      if (config === undefined || !('model' in config)) throw new Error('no engine');
      engine = await createEngine(config);
      hurried = await createEngine({ ...config, timeoutMs: 400 });
    });
    after(() => simulated.stop());

    for (const fault of faultKinds) {
      test(`${fault}: exactly one call, told apart`, async () => {
        simulated.configure({ script: [fault] });
        const callsBefore = simulated.log.totals().calls;
        const outcome = await (fault.startsWith('hang') ? hurried : engine)
          .translate(request, signal)
          .catch((error: unknown) => (error instanceof EngineError ? error : Promise.reject(error)));
        assert.equal(simulated.log.totals().calls - callsBefore, 1);
        const want = expected[fault];
        if (outcome instanceof EngineError) assert.equal(outcome.kind, want, outcome.message);
        else assert.deepEqual({ finish: outcome.finish, ids: [...outcome.translations.keys()] }, want);
      });
    }

    test('a wait told in seconds, as a date or in milliseconds is kept as a floor without a ceiling', async () => {
      const wait = async (fault: FaultKind, timeScale: number): Promise<number> => {
        simulated.configure({ script: [fault], timeScale });
        try {
          await engine.translate(request, signal);
          return -1;
        } catch (error) {
          return error instanceof EngineError ? (error.retryAfterMs ?? -1) : -1;
        } finally {
          simulated.configure({ timeScale: 0.001 });
        }
      };
      assert.equal(await wait('rate-limit-1', 1), 1_000);
      assert.equal(await wait('rate-limit-120', 1), 120_000);
      assert.equal(await wait('rate-limit-120', 1_000), 120_000_000);
      assert.equal(await wait('rate-limit-120', 0.001), 120);
      const dated = await wait('rate-limit-date', 30);
      assert.ok(dated > 55_000 && dated <= 60_000, String(dated));
      assert.equal(await wait('rate-limit-none', 1), -1);
    });

    test('a refused connection is a transport fault and the engine works again afterwards', async () => {
      await simulated.unlisten();
      await assert.rejects(engine.translate(request, signal), {
        name: 'EngineError',
        kind: 'transport',
      });
      await simulated.listen();
      assert.equal((await engine.translate(request, signal)).translations.size, 4);
    });

    test('no tools are ever passed, and secrets stay out of faults', async () => {
      assert.ok(simulated.log.calls.length > 20);
      assert.ok(simulated.log.calls.every((call) => !call.tools));
    });
  });
}

test('what a server quotes back, the key and the text, is nowhere in the fault nor in its causes', async (context) => {
  const indiscreet = await startIndiscreetEngine('http://127.0.0.1:9/v1');
  context.after(() => indiscreet.stop());
  const base = { name: 'e', kind: 'openai-compatible', base_url: indiscreet.url, model: 'any', api_key: 'sk-canary' };
  const [config] = parseEngines(JSON.stringify({ engines: [base] })).engines;
  assert.ok(config);
  const engine = await createEngine(config);
  for (const status of [200, 400, 401, 429, 500]) {
    indiscreet.faults = [status];
    const fault: Error = await engine.translate(request, signal).then(
      () => assert.fail('answered'),
      (error: Error) => error,
    );
    const told: unknown[] = [];
    for (let at: unknown = fault; at instanceof Error; at = at.cause)
      told.push(at.name, at.message, at.stack, ...Object.values(at).filter((value) => !(value instanceof Error)));
    assert.doesNotMatch(JSON.stringify(told), /sk-canary|风起/, `${status}`);
    assert.match(JSON.stringify(told), /AI_\w*Error/, 'the cause can still be told');
  }
});
