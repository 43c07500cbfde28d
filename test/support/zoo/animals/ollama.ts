import type { Animal } from '../animal.ts';

/** Cuts the head of a prompt that is too long without a word, thinks in a field of its own, and is busy with a 503. */
export const ollama: Animal = {
  name: 'ollama',
  targetLang: 'hu',
  protocol: 'ollama',
  engine: { kind: 'ollama', model: 'some:7b', concurrency: 8, reasoning: 'low', prices: { input: 0, output: 0 } },
  basePath: '',
  refusal: { finish: 'prose' },
  overflow: { counts: 'prompt', reply: 'cut' },
  unknown: {
    path: 'think',
    reply: () => ({ status: 400, body: { error: '"some:7b" does not support thinking: think is not supported' } }),
    allows: (value) => value === false || value === undefined,
  },
  thoughts: 'reasoning',
  limits: {
    reply: () => ({ status: 503, body: { error: 'server busy, please try again. maximum pending requests exceeded' } }),
  },
};
