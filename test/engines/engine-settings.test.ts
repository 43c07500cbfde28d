import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { EngineChoiceError } from '../../src/engines/engine-file.ts';
import { parseEngines } from '../../src/engines/engine-settings.ts';
import { type EngineChoice, engineChoice } from '../../src/engines/open-engines.ts';
import { Secret } from '../../src/secret.ts';

function faultsOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof EngineChoiceError) return error.faults;
    throw error;
  }
  return [];
}

const nothingSet = {
  enginesFile: undefined,
  engine: undefined,
  engineBaseUrl: undefined,
  engineApiKey: undefined,
  engineModel: undefined,
  variable: () => undefined,
};

describe('engine settings', () => {
  const file = {
    engines: [
      { name: 'main', kind: 'anthropic', model: 'm', api_key_env: 'MAIN_KEY', target_languages: ['en', 'zh-TW'] },
      {
        name: 'home',
        kind: 'openai-compatible',
        base_url: 'http://127.0.0.1:8000/v1/',
        model: 'm',
        concurrency: 64,
        timeout_seconds: 300,
      },
    ],
    routes: [{ source: 'zh', target: '*', engines: ['home', 'main'] }],
  };

  test('a file is read with defaults, codes and secrets resolved', () => {
    const { engines, routes } = parseEngines(JSON.stringify(file), { MAIN_KEY: 'hush' });
    const [main, home] = engines;
    assert.ok(main?.kind === 'anthropic' && home?.kind === 'openai-compatible');
    assert.equal(main.apiKey?.reveal(), 'hush');
    assert.deepEqual(main.targetLanguages, ['en', 'zh-Hant']);
    assert.equal(main.structuredOutput, 'schema');
    assert.equal(home.baseUrl, 'http://127.0.0.1:8000/v1');
    assert.equal(home.timeoutMs, 300_000);
    assert.equal(home.structuredOutput, 'json');
    assert.deepEqual(routes, [{ source: 'zh-Hans', target: undefined, engines: [['home'], ['main']] }]);
  });

  test('a secret never prints', () => {
    const settings = parseEngines(JSON.stringify(file), { MAIN_KEY: 'hush' });
    assert.doesNotMatch(`${inspect(settings, { depth: 9, showHidden: true })}${JSON.stringify(settings)}`, /hush/);
  });

  test('all faults of form are told at once, by place', () => {
    const faults = faultsOf(() =>
      parseEngines(
        JSON.stringify({
          engines: [{ name: 'Bad Name', kind: 'magic', concurency: 3, timeout_seconds: 'soon' }],
          rutes: [],
        }),
      ),
    ).join('\n');
    for (const mark of [/engines\.0\.name/, /engines\.0\.kind/, /concurency/, /engines\.0\.timeout_seconds/, /rutes/]) {
      assert.match(faults, mark);
    }
  });

  test('faults of form are told at once, however many', () => {
    const engines = Array.from({ length: 20 }, (_, i) => ({ name: `Bad ${i}`, kind: 'magic', concurency: 3 }));
    const faults = faultsOf(() => parseEngines(JSON.stringify({ engines, routes: [{ engines: [] }], editor: 3 })));
    for (const i of engines.keys()) assert.ok(faults.includes(`engines.${i} has unknown settings: concurency`), `${i}`);
    assert.equal(faults.length, 3 * engines.length + 2, faults.join('\n'));
  });

  test('all contradictions are told at once', () => {
    const faults = faultsOf(() =>
      parseEngines(
        JSON.stringify({
          engines: [
            { name: 'a', kind: 'openai-compatible' },
            { name: 'a', kind: 'openai', model: 'm' },
            { name: 'b', kind: 'google', model: 'm', api_key_env: 'NOT_SET', source_languages: ['tlh'] },
            { name: 'c', kind: 'openai', model: 'm', api_key: 'x', api_key_env: 'NOT_SET' },
          ],
          routes: [{ source: 'xx', engines: ['nobody'] }],
        }),
      ),
    );
    assert.equal(faults.length, 10, faults.join('\n'));
  });

  test('engines that share a rank stand in a list of their own', () => {
    const { routes } = parseEngines(
      JSON.stringify({ ...file, routes: [{ engines: [['home', 'main']] }, { engines: ['main', ['home']] }] }),
      { MAIN_KEY: 'hush' },
    );
    assert.deepEqual(
      routes.map(({ engines }) => engines),
      [[['home', 'main']], [['main'], ['home']]],
    );
    const faults = faultsOf(() =>
      parseEngines(JSON.stringify({ ...file, routes: [{ engines: ['home', ['home', 'nobody']] }] }), { MAIN_KEY: 'k' }),
    );
    assert.deepEqual(faults, [
      'routes.0.engines names "home" twice',
      'routes.0.engines names "nobody", which is not an engine',
    ]);
  });

  test('what is not JSON is told as such', () => assert.match(faultsOf(() => parseEngines('{'))[0] ?? '', /not JSON/));

  test('the short form makes one engine and is checked the same way', () => {
    const shortForm = (set: Partial<EngineChoice>) =>
      engineChoice({ ...nothingSet, engineConcurrency: 3, ...set }, 'needed').engines;
    const [engine] = shortForm({ engine: 'openai', engineApiKey: new Secret('k'), engineModel: 'm' });
    assert.ok(engine?.kind === 'openai' && engine.concurrency === 3 && engine.apiKey?.reveal() === 'k');
    assert.deepEqual(shortForm({ engine: 'sandbox' }), [{ kind: 'sandbox', name: 'sandbox' }]);
    assert.ok(faultsOf(() => shortForm({ engine: 'openai-compatible' })).length >= 2);
    assert.ok(faultsOf(() => shortForm({ engine: 'nonsense' })).length >= 1);
  });
});
