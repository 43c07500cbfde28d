import { type Animal, type ErrorReply, usualLimitHeaders } from '../animal.ts';

const error = (status: number, message: string): ErrorReply => ({
  status,
  body: { object: 'error', message, type: 'invalid_request_error', param: null, code: null },
});

/** Validates strictly, has no code for refusals (its models say no in prose), and calls a full service by its tier. */
export const mistral: Animal = {
  name: 'mistral',
  targetLang: 'pl',
  protocol: 'chat',
  engine: {
    kind: 'openai-compatible',
    provider: 'mistral',
    model: 'mistral-some',
    prices: { input: 0.4, cached_input: 0.04, output: 2 },
  },
  basePath: '/v1',
  refusal: { finish: 'prose' },
  overflow: {
    counts: 'prompt',
    reply: ({ windowTokens, promptTokens }) =>
      error(
        400,
        `Prompt contains ${promptTokens} tokens and 0 draft tokens, too large for model with ${windowTokens} maximum context length`,
      ),
  },
  unknown: {
    path: 'stream_options',
    reply: (value) => ({
      status: 422,
      body: {
        detail: [
          {
            type: 'extra_forbidden',
            loc: ['body', 'stream_options'],
            msg: 'Extra inputs are not permitted',
            input: value,
          },
        ],
      },
    }),
  },
  thoughts: 'hidden',
  limits: { headers: usualLimitHeaders, reply: () => error(429, 'Service tier capacity exceeded for this model.') },
};
