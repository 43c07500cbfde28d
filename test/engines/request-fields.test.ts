import { strict as assert } from 'node:assert';
import { after, describe, test } from 'node:test';
import { createEngine } from '../../src/engines/create-engine.ts';
import type { TranslateRequest } from '../../src/engines/engine.ts';
import { parseEngines } from '../../src/engines/engine-settings.ts';
import { openZoo } from '../support/zoo/zoo.ts';

const zoo = await openZoo();
after(() => zoo.stop());

const request: TranslateRequest = {
  sourceLang: 'fr',
  targetLang: 'en',
  blocks: [{ id: '1', text: 'Bonjour, le monde.' }],
  terms: [],
  roster: [],
  context: { before: [], after: [] },
};

/** The body of one call, as the server got it. */
async function sentTo(
  name: string,
  settings: Record<string, unknown>,
  asked: TranslateRequest = request,
  owner = { account: 'acc_1', task: 'task_1' },
): Promise<Record<string, unknown>> {
  const entry = zoo.engines.find((each) => each.name === name);
  const file = JSON.stringify({ engines: [{ ...entry, ...settings }] });
  const [config] = parseEngines(file).engines;
  assert.ok(config);
  const engine = await createEngine(config);
  await engine.translate(asked, AbortSignal.timeout(20_000), { owner });
  const last = zoo.requests.findLast(({ animal }) => animal === name);
  assert.ok(last);
  return last.body;
}

/** What each provider calls an effort: without thoughts, and with many. */
const efforts: Record<string, { model?: string; off: object; high: object }> = {
  ollama: { off: { think: false }, high: { think: 'high' } },
  openai: { model: 'gpt-5.1', off: { reasoning_effort: 'none' }, high: { reasoning_effort: 'high' } },
  azure: { model: 'gpt-5.1', off: { reasoning_effort: 'none' }, high: { reasoning_effort: 'high' } },
  anthropic: {
    model: 'claude-opus-5',
    off: { thinking: { type: 'disabled' } },
    high: { thinking: { type: 'adaptive', display: 'summarized' } },
  },
  gemini: {
    model: 'gemini-3-flash',
    off: { generationConfig: { thinkingConfig: { thinkingLevel: 'minimal' } } },
    high: { generationConfig: { thinkingConfig: { thinkingLevel: 'high' } } },
  },
  deepseek: {
    off: { thinking: { type: 'disabled' } },
    high: { thinking: { type: 'enabled' }, reasoning_effort: 'high' },
  },
  qwen: { off: { enable_thinking: false }, high: { enable_thinking: true, thinking_budget: 16_384 } },
  glm: { off: { thinking: { type: 'disabled' } }, high: { thinking: { type: 'enabled' }, reasoning_effort: 'high' } },
  kimi: { off: { thinking: { type: 'disabled' } }, high: { thinking: { type: 'enabled' }, reasoning_effort: 'high' } },
  mistral: { off: { reasoning_effort: 'none' }, high: { reasoning_effort: 'high' } },
  openrouter: { off: { reasoning: { effort: 'none' } }, high: { reasoning: { effort: 'high' } } },
  groq: { off: { reasoning_effort: 'none' }, high: { reasoning_effort: 'high' } },
  vllm: { off: { chat_template_kwargs: { enable_thinking: false } }, high: { reasoning_effort: 'high' } },
  'llama-cpp': { off: { chat_template_kwargs: { enable_thinking: false } }, high: { reasoning_effort: 'high' } },
  'lm-studio': { off: { reasoning_effort: 'none' }, high: { reasoning_effort: 'high' } },
  litellm: { off: { reasoning_effort: 'none' }, high: { reasoning_effort: 'high' } },
};

describe('what an engine sends', () => {
  assert.deepEqual(
    zoo.engines.map(({ name }) => name).toSorted(),
    Object.keys(efforts).toSorted(),
    'every provider is here',
  );
  for (const [name, { model, off, high }] of Object.entries(efforts)) {
    test(`${name} is told how much to think in its own words`, async () => {
      const named = model === undefined ? {} : { model };
      assert.partialDeepStrictEqual(await sentTo(name, { ...named, reasoning: 'off' }), off);
      assert.partialDeepStrictEqual(await sentTo(name, { ...named, reasoning: 'high' }), high);
    });
  }

  test('thoughts have room of their own beside the answer, unless the operator has set a limit', async () => {
    const limitOf = async (settings: object): Promise<number> =>
      Number((await sentTo('deepseek', { ...settings })).max_tokens);
    const plain = await limitOf({ reasoning: 'off' });
    assert.equal(await limitOf({ reasoning: 'high' }), plain + 16_384);
    assert.equal(await limitOf({ reasoning: 'high', max_output_tokens: 3_000 }), 3_000);
  });

  test('DeepSeek gets a name for each partner that is always the same and tells nothing', async () => {
    const nameOf = async (account: string): Promise<string> =>
      String((await sentTo('deepseek', {}, request, { account, task: 'task_1' })).user_id);
    const [one, again, other] = [await nameOf('acc_1'), await nameOf('acc_1'), await nameOf('acc_2')];
    assert.equal(one, again);
    assert.notEqual(one, other);
    assert.match(one, /^[0-9a-f]{32}$/);
    assert.ok(!('user_id' in (await sentTo('mistral', {}))), 'others know no such field');
  });

  test('OpenAI and Mistral get a name for each book, by which its calls meet in one cache', async () => {
    for (const name of ['openai', 'mistral']) {
      const keyOf = async (task: string): Promise<unknown> =>
        (await sentTo(name, {}, request, { account: 'acc_1', task })).prompt_cache_key;
      assert.equal(await keyOf('task_1'), await keyOf('task_1'));
      assert.notEqual(await keyOf('task_1'), await keyOf('task_2'));
    }
  });

  test('what never changes in a book is marked for the cache where a provider wants a mark, from its least size on', async () => {
    const marksIn = (body: object): number => JSON.stringify(body).match(/"cache_control"/gu)?.length ?? 0;
    const book = { ...request, brief: { core: [], background: 'The tower stood alone by the sea. '.repeat(200) } };
    for (const name of ['anthropic', 'qwen', 'openrouter']) {
      assert.equal(marksIn(await sentTo(name, {}, book)), 1, name);
    }
    for (const name of ['qwen', 'openrouter']) assert.equal(marksIn(await sentTo(name, {})), 0, `${name}, too little`);
    for (const name of ['deepseek', 'openai', 'vllm', 'groq'])
      assert.equal(marksIn(await sentTo(name, {}, book)), 0, name);
  });

  test('the window that an operator has set bounds prompt and answer, and Ollama is told', async () => {
    const long = { ...request, blocks: [{ id: '1', text: 'Il pleuvait sur la cour. '.repeat(60) }] };
    const body = await sentTo('vllm', { context_tokens: 2_048, structured_output: 'none' }, long);
    const limit = Number(body.max_tokens);
    assert.ok(limit > 500 && limit < 1_500, String(limit));
    assert.partialDeepStrictEqual(await sentTo('ollama', { context_tokens: 16_384 }), { options: { num_ctx: 16_384 } });
  });
});
