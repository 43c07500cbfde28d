import { type Animal, cachesBlocks, openAiError, usualLimitHeaders } from '../animal.ts';

/** Its reasoning models know no `max_tokens`, refuse flagged prompts with a 400, and hide what they think. */
export const openai: Animal = {
  name: 'openai',
  targetLang: 'de',
  protocol: 'chat',
  engine: { kind: 'openai', model: 'a-new-model', prices: { input: 1.25, cached_input: 0.125, output: 10 } },
  basePath: '/v1',
  refusal: openAiError(400, 'Invalid prompt: your prompt was flagged as potentially violating our usage policy.', {
    code: 'invalid_prompt',
  }),
  overflow: {
    counts: 'prompt',
    reply: ({ windowTokens, promptTokens }) =>
      openAiError(
        400,
        `This model's maximum context length is ${windowTokens} tokens. However, your messages resulted in ${promptTokens} tokens.`,
        { code: 'context_length_exceeded', param: 'messages' },
      ),
  },
  unknown: {
    path: 'max_tokens',
    reply: () =>
      openAiError(
        400,
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        { code: 'unsupported_parameter', param: 'max_tokens' },
      ),
  },
  thoughts: 'hidden',
  limits: {
    headers: usualLimitHeaders,
    reply: ({ resetMs }) =>
      openAiError(429, `Rate limit reached. Please try again in ${resetMs}ms.`, { code: 'rate_limit_exceeded' }),
  },
  caches: cachesBlocks(128),
};
