/** Servers of an operator, which are no provider of the zoo. */
import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { createEngine } from '../../src/engines/create-engine.ts';
import type { Engine, TranslateRequest } from '../../src/engines/engine.ts';
import { parseEngines } from '../../src/engines/engine-settings.ts';

const request: TranslateRequest = {
  sourceLang: 'fr',
  targetLang: 'en',
  blocks: [{ id: '1', text: 'Bonjour.' }],
  terms: [],
  roster: [],
  context: { before: [], after: [] },
};

/** A server that answers as a whole, though it is asked for a stream. */
async function engineOf(listModels: () => Promise<unknown>): Promise<Engine> {
  const content = JSON.stringify({ t: ['1 Hello.'] });
  const answer = {
    id: 'a',
    created: 1,
    model: 'm',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
    usage: { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 },
  };
  const server = createServer(async ({ url }, response) => {
    const body = JSON.stringify(url === '/v1/models' ? await listModels() : answer);
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const [config] = parseEngines(
    JSON.stringify({ engines: [{ name: 'e', kind: 'openai-compatible', base_url, model: 'm' }] }),
  ).engines;
  assert.ok(config);
  return await createEngine(config);
}

test('an answer that comes as a whole, though a stream was asked for, is read with its usage', async () => {
  const engine = await engineOf(async () => ({ data: [] }));
  for (const call of ['first', 'second']) {
    const { translations, usage } = await engine.translate(request, AbortSignal.timeout(20_000));
    assert.equal(translations.get('1'), 'Hello.', call);
    assert.deepEqual(usage, { inputTokens: 100, outputTokens: 5, cachedInputTokens: 0 }, call);
  }
});

test('a caller who leaves while a server is asked what it is takes no other one along', async () => {
  const leaving = new AbortController();
  const hasLeft = once(leaving.signal, 'abort');
  const asked = Promise.withResolvers<void>();
  const engine = await engineOf(async () => {
    asked.resolve();
    await hasLeft;
    return { data: [{ id: 'm', owned_by: 'vllm', max_model_len: 9_000 }] };
  });
  const left = assert.rejects(engine.translate(request, leaving.signal), /cancelled/);
  const stayed = engine.translate(request, AbortSignal.timeout(20_000));
  await asked.promise;
  leaving.abort(new Error('cancelled'));
  await left;
  assert.equal((await stayed).translations.get('1'), 'Hello.');
  assert.match(engine.learned?.inWords().join('; ') ?? '', /the server is vLLM; .*a window of 9,000 tokens/);
});
