import { type Animal, type ErrorReply, openAiError } from '../animal.ts';

const error = (message: string): ErrorReply => ({
  status: 400,
  body: { object: 'error', message, type: 'BadRequestError', param: null, code: 400 },
});

/** Tells its window, but never clamps an answer to it; without a parser for reasoning only the end of a thought shows. */
export const vllm: Animal = {
  name: 'vllm',
  targetLang: 'fi',
  protocol: 'chat',
  engine: { kind: 'openai-compatible', model: 'house-model', reasoning: 'off', prices: { input: 0.1, output: 0.1 } },
  basePath: '/v1',
  refusal: { finish: 'prose' },
  overflow: {
    counts: 'prompt and answer',
    reply: ({ windowTokens, promptTokens, answerTokens }) =>
      error(
        `This model's maximum context length is ${windowTokens} tokens. However, you requested ${promptTokens + answerTokens} tokens (${promptTokens} in the messages, ${answerTokens} in the completion). Please reduce the length of the messages or completion.`,
      ),
  },
  unknown: {
    path: 'chat_template_kwargs',
    reply: () => openAiError(400, "Extra inputs are not permitted: 'chat_template_kwargs'"),
  },
  thoughts: 'closing tag',
  limits: { reply: () => ({ status: 503, body: { error: { message: 'The server is overloaded', code: 503 } } }) },
  facts: {
    '/models': (windowTokens) => ({
      object: 'list',
      data: [{ id: 'house-model', object: 'model', owned_by: 'vllm', max_model_len: windowTokens }],
    }),
  },
};
