import { type Animal, openAiError, usualLimitHeaders } from '../animal.ts';

/** A proxy before all others: the class of the fault is a word inside of the message. */
export const litellm: Animal = {
  name: 'litellm',
  targetLang: 'uk',
  protocol: 'chat',
  engine: {
    kind: 'openai-compatible',
    provider: 'litellm',
    model: 'some-alias',
    temperature: 0.2,
    prices: { input: 1, output: 2 },
  },
  basePath: '',
  refusal: openAiError(
    400,
    'litellm.BadRequestError: litellm.ContentPolicyViolationError: AzureException - the prompt triggered a filter',
    {
      code: '400',
    },
  ),
  overflow: {
    counts: 'prompt',
    reply: ({ windowTokens, promptTokens }) =>
      openAiError(
        400,
        `litellm.ContextWindowExceededError: litellm.BadRequestError: This model's maximum context length is ${windowTokens} tokens. However, your messages resulted in ${promptTokens} tokens`,
        { code: '400' },
      ),
  },
  unknown: {
    path: 'temperature',
    reply: () =>
      openAiError(
        400,
        "litellm.UnsupportedParamsError: some-model does not support parameters: ['temperature'], for model=some-alias.",
        {
          code: '400',
        },
      ),
  },
  thoughts: 'reasoning_content',
  limits: {
    headers: usualLimitHeaders,
    reply: () => openAiError(429, 'litellm.RateLimitError: RateLimitError', { code: '429' }),
  },
};
