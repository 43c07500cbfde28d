import { type Animal, openAiError, usualLimitHeaders } from '../animal.ts';

/** Fast and narrow: small limits, told with every answer, and a prompt of thoughts inside of the text. */
export const groq: Animal = {
  name: 'groq',
  targetLang: 'ro',
  protocol: 'chat',
  engine: {
    kind: 'openai-compatible',
    provider: 'groq',
    model: 'qwen/some',
    reasoning: 'off',
    prices: { input: 0.29, output: 0.59 },
  },
  basePath: '/openai/v1',
  refusal: { finish: 'prose' },
  overflow: {
    counts: 'prompt',
    reply: () =>
      openAiError(413, 'Please reduce the length of the messages or completion.', {
        param: 'messages',
        code: 'context_length_exceeded',
      }),
  },
  unknown: {
    path: 'reasoning_effort',
    reply: () =>
      openAiError(400, '`reasoning_effort` must be one of `low`, `medium`, or `high`', { param: 'reasoning_effort' }),
    allows: (value) => ['low', 'medium', 'high'].includes(String(value)),
  },
  thoughts: 'tags',
  limits: {
    headers: usualLimitHeaders,
    reply: ({ resetMs }) => ({
      ...openAiError(429, `Rate limit reached for model. Please try again in ${resetMs}ms.`, {
        code: 'rate_limit_exceeded',
      }),
      headers: { 'retry-after': String(resetMs / 1000) },
    }),
  },
};
