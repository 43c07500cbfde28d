import { type Animal, cachesBlocks, openAiError } from '../animal.ts';

/** The models of OpenAI under names of the customer, with a filter of its own before them and waits in milliseconds. */
export const azure: Animal = {
  name: 'azure',
  targetLang: 'fr',
  protocol: 'chat',
  engine: {
    kind: 'openai',
    model: 'my-deployment',
    temperature: 0.3,
    prices: { input: 2.5, cached_input: 1.25, output: 10 },
  },
  basePath: '/openai/v1',
  refusal: {
    status: 400,
    body: {
      error: {
        message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        code: 'content_filter',
        param: 'prompt',
        status: 400,
        innererror: {
          code: 'ResponsibleAIPolicyViolation',
          content_filter_result: {
            violence: { filtered: true, severity: 'medium' },
            jailbreak: { filtered: false, detected: false },
          },
        },
      },
    },
  },
  overflow: {
    counts: 'prompt',
    reply: ({ windowTokens }) =>
      openAiError(400, `Input tokens exceed the configured limit of ${windowTokens} tokens.`, {
        code: 'context_length_exceeded',
      }),
  },
  unknown: {
    path: 'temperature',
    reply: (value) =>
      openAiError(
        400,
        `Unsupported value: 'temperature' does not support ${value} with this model. Only the default (1) value is supported.`,
        { code: 'unsupported_value', param: 'temperature' },
      ),
  },
  thoughts: 'hidden',
  limits: {
    headers: ({ requests, resetMs }) => ({
      'x-ratelimit-remaining-requests': String(requests),
      'x-ratelimit-reset-requests': `${resetMs}ms`,
    }),
    reply: ({ resetMs }) => ({
      ...openAiError(429, 'Requests have exceeded the call rate limit of your tier.', { code: '429' }),
      headers: { 'retry-after-ms': String(resetMs), 'retry-after': '1' },
    }),
  },
  caches: cachesBlocks(128),
};
