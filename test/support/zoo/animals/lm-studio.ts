import type { Animal } from '../animal.ts';

/** Knows a schema and plain text and nothing between, and does not say how large a window is when it is full. */
export const lmStudio: Animal = {
  name: 'lm-studio',
  targetLang: 'ru',
  protocol: 'chat',
  engine: {
    kind: 'openai-compatible',
    model: 'some-model',
    structured_output: 'json',
    prices: { input: 0, output: 0 },
  },
  basePath: '/v1',
  refusal: { finish: 'prose' },
  overflow: {
    counts: 'prompt',
    reply: () => ({
      status: 400,
      body: {
        error:
          'Trying to keep the first tokens when context overflows. However, the number of tokens to keep from the initial prompt is greater than the context length.',
      },
    }),
  },
  unknown: {
    path: 'response_format',
    reply: () => ({ status: 400, body: { error: "'response_format.type' must be 'json_schema' or 'text'" } }),
    allows: (value) => (value as { type?: string }).type !== 'json_object',
  },
  thoughts: 'tags',
  limits: { reply: () => ({ status: 503, body: { error: 'Model is busy: server busy' } }) },
  facts: {
    '/models': () => ({
      object: 'list',
      data: [{ id: 'some-model', object: 'model', owned_by: 'organization_owner' }],
    }),
  },
};
