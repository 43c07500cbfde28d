import type { Animal, ErrorReply } from '../animal.ts';

const error = (status: number, type: string, message: string): ErrorReply => ({
  status,
  body: { type: 'error', error: { type, message }, request_id: 'req_zoo' },
});

/** Refuses with a 200 that holds nothing, has models without schemas, and tells its limits with dates. */
export const anthropic: Animal = {
  name: 'anthropic',
  targetLang: 'es',
  protocol: 'messages',
  engine: {
    kind: 'anthropic',
    model: 'claude-some-9',
    prices: { input: 3, cached_input: 0.3, cache_write: 3.75, output: 15 },
  },
  basePath: '/v1',
  refusal: { finish: 'refusal' },
  overflow: {
    counts: 'prompt and answer',
    reply: ({ windowTokens, promptTokens, answerTokens }) =>
      error(
        400,
        'invalid_request_error',
        promptTokens > windowTokens
          ? `prompt is too long: ${promptTokens} tokens > ${windowTokens} maximum`
          : `input length and \`max_tokens\` exceed context limit: ${promptTokens} + ${answerTokens} > ${windowTokens}`,
      ),
  },
  unknown: {
    path: 'output_config.format',
    reply: () => error(400, 'invalid_request_error', 'output_config.format: Extra inputs are not permitted'),
  },
  thoughts: 'parts',
  limits: {
    headers: ({ requests, resetMs, nowMs }) => ({
      'anthropic-ratelimit-requests-limit': '3',
      'anthropic-ratelimit-requests-remaining': String(requests),
      'anthropic-ratelimit-requests-reset': new Date(nowMs + resetMs).toISOString(),
    }),
    reply: ({ resetMs }) => ({
      ...error(429, 'rate_limit_error', 'This request would exceed the rate limit of your organization.'),
      headers: { 'retry-after': String(resetMs / 1000) },
    }),
  },
};
