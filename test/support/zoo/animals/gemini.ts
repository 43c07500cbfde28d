import { type Animal, cachesBlocks, type ErrorReply } from '../animal.ts';

const error = (code: number, status: string, message: string, details: object[] = []): ErrorReply => ({
  status: code,
  body: { error: { code, message, status, details } },
});

/** Blocks with a 200 without candidates, thinks in parts of its own, and says in the body how long to wait. */
export const gemini: Animal = {
  name: 'gemini',
  targetLang: 'it',
  protocol: 'gemini',
  engine: {
    kind: 'google',
    model: 'gemini-some',
    reasoning: 'low',
    prices: { input: 0.3, cached_input: 0.03, output: 2.5 },
  },
  basePath: '/v1beta',
  refusal: { finish: 'PROHIBITED_CONTENT' },
  overflow: {
    counts: 'prompt',
    reply: ({ windowTokens, promptTokens }) =>
      error(
        400,
        'INVALID_ARGUMENT',
        `The input token count (${promptTokens}) exceeds the maximum number of tokens allowed (${windowTokens}).`,
      ),
  },
  unknown: {
    path: 'generationConfig.thinkingConfig',
    reply: () =>
      error(
        400,
        'INVALID_ARGUMENT',
        'Invalid JSON payload received. Unknown name "thinkingConfig" at \'generation_config\': Cannot find field.',
      ),
  },
  thoughts: 'parts',
  limits: {
    reply: ({ resetMs }) =>
      error(429, 'RESOURCE_EXHAUSTED', `You exceeded your current quota. Please retry in ${resetMs / 1000}s.`, [
        {
          '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
          violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel' }],
        },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${resetMs / 1000}s` },
      ]),
  },
  caches: cachesBlocks(128),
};
