import { type Animal, cachesBlocks, type ErrorReply } from '../animal.ts';

const error = (status: number, type: string, message: string): ErrorReply => ({
  status,
  body: { error: { type, message } },
});

/** Allows one temperature, and counts what an answer may have as part of the prompt. */
export const kimi: Animal = {
  name: 'kimi',
  targetLang: 'da',
  protocol: 'chat',
  engine: {
    kind: 'openai-compatible',
    provider: 'kimi',
    model: 'kimi-some',
    temperature: 0.6,
    prices: { input: 0.6, cached_input: 0.15, output: 2.5 },
  },
  basePath: '/v1',
  refusal: error(400, 'content_filter', 'The request was rejected because it was considered high risk'),
  overflow: {
    counts: 'prompt and answer',
    reply: ({ windowTokens, promptTokens, answerTokens }) =>
      error(
        400,
        'invalid_request_error',
        `Invalid request: Your request exceeded model token limit: ${windowTokens} (requested: ${promptTokens + answerTokens})`,
      ),
  },
  unknown: {
    path: 'temperature',
    reply: () => error(400, 'invalid_request_error', 'invalid temperature: only 1 is allowed for this model'),
    allows: (value) => value === 1,
  },
  thoughts: 'reasoning_content',
  limits: {
    headers: ({ requests, resetMs }) => ({
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': String(requests),
      'x-ratelimit-reset': String(resetMs / 1000),
    }),
    reply: () => error(429, 'rate_limit_reached_error', 'Your account reached max organization concurrency'),
  },
  caches: cachesBlocks(64),
};
