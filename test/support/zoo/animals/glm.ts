import { type Animal, cachesBlocks, type ErrorReply } from '../animal.ts';

const error = (status: number, code: string, message: string, more: object = {}): ErrorReply => ({
  status,
  body: { ...more, error: { code, message } },
});

/** Says everything with a number: arrears, rates and sensitive words. Its newest model cannot stop thinking. */
export const glm: Animal = {
  name: 'glm',
  targetLang: 'sv',
  protocol: 'chat',
  engine: {
    kind: 'openai-compatible',
    provider: 'glm',
    model: 'glm-some',
    prices: { input: 1.4, cached_input: 0.26, output: 4.4 },
  },
  basePath: '/api/paas/v4',
  refusal: error(400, '1301', '系统检测到输入或生成内容可能包含不安全或敏感内容，请您避免输入易产生敏感内容的提示语', {
    contentFilter: [{ level: 1, role: 'user' }],
  }),
  overflow: { counts: 'prompt', reply: () => error(400, '1261', 'Prompt exceeds max length') },
  unknown: {
    path: 'thinking',
    reply: () => error(400, '1210', "Invalid API parameter: thinking.type 'disabled' is not supported by this model."),
    allows: (value) => (value as { type?: string }).type !== 'disabled',
  },
  thoughts: 'reasoning_content',
  limits: { reply: () => error(429, '1302', '您当前使用该API的并发数过高，请降低并发') },
  caches: cachesBlocks(64),
};
