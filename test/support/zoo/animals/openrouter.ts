import { type Animal, cachesBlocks, openAiError } from '../animal.ts';

/** Many providers behind one door: moderation is a 403, and errors come inside of a 200. */
export const openrouter: Animal = {
  name: 'openrouter',
  targetLang: 'cs',
  protocol: 'chat',
  engine: {
    kind: 'openai-compatible',
    provider: 'openrouter',
    model: 'some/model',
    reasoning: 'low',
    prices: { input: 0.5, cached_input: 0.05, output: 1.5 },
  },
  basePath: '/api/v1',
  refusal: {
    status: 403,
    body: {
      error: {
        code: 403,
        message: 'This model requires moderation and your input was flagged for "violence".',
        metadata: {
          reasons: ['violence'],
          flagged_input: 'maximum context length is 1 tokens',
          provider_name: 'Some',
          model_slug: 'some/model',
        },
      },
    },
  },
  overflow: {
    counts: 'prompt and answer',
    reply: ({ windowTokens, promptTokens, answerTokens }) => ({
      // Inside of a 200: the status is in the body.
      status: 200,
      body: {
        error: {
          code: 400,
          message: `This endpoint's maximum context length is ${windowTokens} tokens. However, you requested about ${promptTokens + answerTokens} tokens (${promptTokens} of text input, ${answerTokens} in the output).`,
        },
      },
    }),
  },
  unknown: {
    path: 'reasoning',
    reply: () => openAiError(400, 'Reasoning is not supported by this model: unknown parameter `reasoning`.'),
  },
  thoughts: 'reasoning',
  limits: {
    headers: ({ requests, resetMs, nowMs }) => ({
      'x-ratelimit-remaining': String(requests),
      'x-ratelimit-reset': String(nowMs + resetMs),
    }),
    reply: () => openAiError(429, 'Rate limit exceeded: free-models-per-min', { code: 429 }),
  },
  caches: cachesBlocks(64),
};
