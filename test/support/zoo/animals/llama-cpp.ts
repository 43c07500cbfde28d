import { type Animal, openAiError } from '../animal.ts';

/** Tells its window at `/props`, names both counts when it is full, and answers 503 while it loads. */
export const llamaCpp: Animal = {
  name: 'llama-cpp',
  targetLang: 'tr',
  protocol: 'chat',
  engine: { kind: 'openai-compatible', model: 'any', prices: { input: 0, output: 0 } },
  basePath: '/v1',
  refusal: { finish: 'prose' },
  overflow: {
    counts: 'prompt',
    reply: ({ windowTokens, promptTokens }) => ({
      status: 400,
      body: {
        error: {
          code: 400,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'exceed_context_size_error',
          n_prompt_tokens: promptTokens,
          n_ctx: windowTokens,
        },
      },
    }),
  },
  unknown: {
    path: 'response_format',
    reply: () => openAiError(400, 'response_format type must be one of "text" or "json_object", but got: json_schema'),
    allows: (value) => (value as { type?: string }).type !== 'json_schema',
  },
  thoughts: 'tags',
  limits: {
    reply: () => ({ status: 503, body: { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } } }),
  },
  facts: {
    '/models': () => ({
      object: 'list',
      data: [{ id: 'any', object: 'model', owned_by: 'llamacpp', meta: { n_ctx_train: 131_072 } }],
    }),
    '/../props': (windowTokens) => ({ default_generation_settings: { n_ctx: windowTokens }, total_slots: 4 }),
  },
};
