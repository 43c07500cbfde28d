import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TranslateRequest, TranslateResult } from '../../src/engines/engine.ts';
import { EngineError } from '../../src/engines/engine-error.ts';
import { createSandboxEngine } from '../../src/engines/sandbox/sandbox-engine.ts';
import { type SandboxScenario, sandboxScenarios, scenarioOf } from '../../src/engines/sandbox/sandbox-scenarios.ts';
import { parseLanguage, supportedLanguages } from '../../src/language/languages.ts';
import { sampleSegment } from '../support/simulated-llm/sample-segment.ts';

const { signal } = new AbortController();
const request = (targetLang: string): TranslateRequest => ({ ...sampleSegment(4, 900), targetLang });

describe('the sandbox engine', () => {
  test('gives the same answer every time, marked so that nobody takes it for a translation', async () => {
    const one = await createSandboxEngine().translate(request('en'), signal);
    const two = await createSandboxEngine().translate(request('en'), signal);
    assert.deepEqual(one, two);
    for (const text of one.translations.values()) assert.match(text, /^⟦[^⟦⟧]+⟧$/u);
  });

  test('writes every supported language in its own script, at a plausible length', async () => {
    for (const targetLang of supportedLanguages) {
      const { translations } = await createSandboxEngine().translate(request(targetLang), signal);
      const text = [...translations.values()].join('');
      const han = (text.match(/\p{Script=Han}/gu) ?? []).length / text.length;
      if (/^(?:zh|ja)/.test(targetLang)) assert.ok(han > (targetLang === 'ja' ? 0 : 0.6), targetLang);
      else assert.equal(han, 0, targetLang);
      const ratio = text.length / 900;
      assert.ok(ratio > 0.5 && ratio < 4.5, `${targetLang} ${ratio}`);
    }
  });

  test('never echoes the source, whatever the pair', async () => {
    const english = 'Then the old captain opened the door and looked out at the rain for a long time.';
    for (const targetLang of ['fr', 'de', 'zh-Hans', 'ja', 'ko', 'ru', 'en']) {
      const blocks = [{ id: '1', text: english }];
      const { translations } = await createSandboxEngine().translate(
        { ...request(targetLang), sourceLang: 'en', blocks },
        signal,
      );
      assert.doesNotMatch(translations.get('1') ?? '', /captain|looked/);
    }
  });
});

describe('sandbox scenarios', () => {
  const run = async (
    subtag: SandboxScenario,
    changes: Partial<TranslateRequest> = {},
  ): Promise<TranslateResult | EngineError> => {
    const engine = createSandboxEngine({ slowMs: 30 });
    return engine
      .translate({ ...request(`en-x-${subtag}`), ...changes }, signal)
      .catch((error: unknown) => (error instanceof EngineError ? error : Promise.reject(error)));
  };
  const kindOf = (outcome: TranslateResult | EngineError): string =>
    outcome instanceof EngineError ? outcome.kind : outcome.finish;

  test('every one is a target language that the API accepts, and is recognised', () => {
    for (const subtag of sandboxScenarios) {
      const language = parseLanguage(`EN_x_${subtag.toUpperCase()}`);
      assert.equal(language?.code, 'en');
      assert.equal(scenarioOf(language?.tag ?? ''), subtag);
    }
    assert.equal(scenarioOf('en'), undefined);
    assert.equal(scenarioOf('en-x-other'), undefined);
  });

  test('each does what its description says', async () => {
    assert.equal(kindOf(await run('fail')), 'rejected');
    assert.equal(kindOf(await run('outage')), 'overloaded');
    assert.equal(kindOf(await run('spend')), 'spend-limit');
    assert.equal(kindOf(await run('garbled')), 'malformed');
    assert.equal(kindOf(await run('cutoff')), 'truncated');
    assert.equal(kindOf(await run('slow')), 'complete');
    const single = (await run('garbled', { blocks: [{ id: '1', text: '风起。' }] })) as TranslateResult;
    assert.equal(single.translations.size, 1);
  });

  test('flaky turns every request away once', async () => {
    const engine = createSandboxEngine();
    const target = request('en-x-flaky');
    await assert.rejects(engine.translate(target, signal), { kind: 'rate-limited', retryAfterMs: 100 });
    assert.equal((await engine.translate(target, signal)).finish, 'complete');
  });

  test('partial, refuse and echo pick the same paragraphs every time, and never all of them', async () => {
    const blocks = Array.from({ length: 200 }, (_, index) => ({ id: String(index), text: `第${index}天，他又来了。` }));
    for (const subtag of ['partial', 'refuse', 'echo'] as const) {
      const { translations } = (await run(subtag, { blocks })) as TranslateResult;
      const bad = blocks.filter(({ id, text }) => translations.get(id) === undefined || translations.get(id) === text);
      assert.ok(bad.length > 15 && bad.length < 80, `${subtag} ${bad.length}`);
      const [first] = bad;
      if (subtag === 'refuse' && first) assert.equal(kindOf(await run(subtag, { blocks: [first] })), 'refused');
    }
  });

  test('terms and tags lose just that', async () => {
    const blocks = [{ id: '1', text: '<1>李明</1>走了。' }];
    const terms = [{ source: '李明', target: 'Li Ming' }];
    const untermed = (await run('terms', { blocks, terms })) as TranslateResult;
    assert.doesNotMatch(untermed.translations.get('1') ?? '', /Li Ming/);
    assert.match(untermed.translations.get('1') ?? '', /<1>/);
    const untagged = (await run('tags', { blocks, terms })) as TranslateResult;
    assert.match(untagged.translations.get('1') ?? '', /Li Ming/);
    assert.doesNotMatch(untagged.translations.get('1') ?? '', /<1>/);
  });
});
