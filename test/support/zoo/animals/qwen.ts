import { type Animal, cachesBlocks, type ErrorReply } from '../animal.ts';

const error = (status: number, code: string, message: string): ErrorReply => ({
  status,
  body: { error: { code, type: code, param: null, message }, request_id: 'zoo' },
});

/** Inspects what comes and what goes: the second in the middle of a stream. */
export const qwen: Animal = {
  name: 'qwen',
  targetLang: 'nl',
  protocol: 'chat',
  engine: {
    kind: 'openai-compatible',
    provider: 'qwen',
    model: 'qwen-some',
    prices: { input: 0.4, cached_input: 0.08, cache_write: 0.5, output: 1.2 },
  },
  basePath: '/compatible-mode/v1',
  refusal: {
    ...error(
      400,
      'data_inspection_failed',
      '<400> InternalError.Algo.DataInspectionFailed: Output data may contain inappropriate content.',
    ),
    isEvent: true,
  },
  overflow: {
    counts: 'prompt',
    reply: ({ windowTokens }) =>
      error(400, 'invalid_parameter_error', `Range of input length should be [1, ${windowTokens}]`),
  },
  unknown: {
    path: 'enable_thinking',
    reply: () => error(400, 'invalid_parameter_error', 'The parameter enable_thinking is not supported by this model.'),
  },
  thoughts: 'reasoning_content',
  limits: { reply: () => error(429, 'limit_requests', 'You exceeded your current request limit.') },
  caches: cachesBlocks(256),
};
