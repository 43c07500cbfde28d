import { type Animal, cachesBlocks, openAiError } from '../animal.ts';

/** Thinks unless it is told not to, knows no developer, and has a sentence for what it will not have. */
export const deepseek: Animal = {
  name: 'deepseek',
  targetLang: 'pt',
  protocol: 'chat',
  engine: {
    kind: 'openai-compatible',
    provider: 'deepseek',
    model: 'deepseek-chat',
    prices: { input: 0.28, cached_input: 0.028, output: 0.42 },
  },
  basePath: '/v1',
  refusal: openAiError(400, 'Content Exists Risk', { code: 'invalid_request_error' }),
  overflow: {
    counts: 'prompt and answer',
    reply: ({ windowTokens, promptTokens, answerTokens }) =>
      openAiError(
        400,
        `This model's maximum context length is ${windowTokens} tokens. However, you requested ${promptTokens + answerTokens} tokens (${promptTokens} in the messages, ${answerTokens} in the completion). Please reduce the length of the messages or completion.`,
      ),
  },
  unknown: {
    path: 'max_tokens',
    reply: () => openAiError(400, 'Invalid max_tokens value, the valid range of max_tokens is [1, 2048]'),
    allows: (value) => Number(value) <= 2_048,
  },
  thoughts: 'reasoning_content',
  limits: {
    reply: () => openAiError(429, 'Too many requests at once for this account.', { code: 'rate_limit_reached' }),
  },
  caches: cachesBlocks(64),
};
