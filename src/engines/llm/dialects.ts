/**
 * What providers behind one protocol call the same thing. The host of the endpoint tells the provider; a server on a machine of the
 * operator tells it itself (`server-facts`). A provider that is not here gets the words of OpenAI.
 */
import type { JsonValue } from '../json-value.ts';

export const efforts = ['off', 'low', 'medium', 'high'] as const;
/** How much a model may think before it answers. */
export type Effort = (typeof efforts)[number];

export interface Dialect {
  name: string;
  host?: RegExp;
  /** The fields of a request that set the effort. */
  reasoning(effort: Effort): Record<string, JsonValue>;
  /** Used where the operator says nothing: these think at length unless they are told not to. */
  usualEffort?: Effort;
  /** The field for a stable name of the partner: one partner's novel must not taint another's. */
  partnerField?: string;
  /** The field for a name of the book, so that its calls meet in one cache. */
  bookField?: string;
  /** Marks what may be cached, from so many tokens on. A smaller mark does nothing, or costs without a use. */
  marksFromTokens?: number;
}

const openAiWords = (effort: Effort): Record<string, JsonValue> => ({
  reasoning_effort: effort === 'off' ? 'none' : effort,
});
const thinkingSwitch = (effort: Effort): Record<string, JsonValue> =>
  effort === 'off'
    ? { thinking: { type: 'disabled' } }
    : { thinking: { type: 'enabled' }, reasoning_effort: effort === 'medium' ? 'high' : effort };
const templateSwitch = (effort: Effort): Record<string, JsonValue> =>
  effort === 'off' ? { chat_template_kwargs: { enable_thinking: false } } : { reasoning_effort: effort };

/** Room for thoughts: providers count them against the limit of an answer. */
export const thoughtTokens = { off: 0, low: 1_024, medium: 4_096, high: 16_384 } as const;

const dialects: readonly Dialect[] = [
  {
    name: 'DeepSeek',
    host: /(?:^|\.)deepseek\.com$/u,
    reasoning: thinkingSwitch,
    usualEffort: 'off',
    partnerField: 'user_id',
  },
  {
    name: 'Qwen',
    host: /(?:^|\.)aliyuncs\.com$/u,
    reasoning: (effort): Record<string, JsonValue> =>
      effort === 'off' ? { enable_thinking: false } : { enable_thinking: true, thinking_budget: thoughtTokens[effort] },
    usualEffort: 'off',
    marksFromTokens: 1_024,
  },
  { name: 'GLM', host: /(?:^|\.)(?:bigmodel\.cn|z\.ai)$/u, reasoning: thinkingSwitch, usualEffort: 'off' },
  { name: 'Kimi', host: /(?:^|\.)moonshot\.(?:ai|cn)$/u, reasoning: thinkingSwitch },
  { name: 'Mistral', host: /(?:^|\.)mistral\.ai$/u, reasoning: openAiWords, bookField: 'prompt_cache_key' },
  {
    name: 'OpenRouter',
    host: /(?:^|\.)openrouter\.ai$/u,
    reasoning: (effort) => ({ reasoning: { effort: effort === 'off' ? 'none' : effort } }),
    marksFromTokens: 1_024,
  },
  { name: 'Groq', host: /(?:^|\.)groq\.com$/u, reasoning: openAiWords },
  { name: 'vLLM', reasoning: templateSwitch },
  { name: 'llama.cpp', reasoning: templateSwitch },
  { name: 'LM Studio', reasoning: openAiWords },
  { name: 'Ollama', reasoning: openAiWords },
  { name: 'LiteLLM', reasoning: openAiWords },
];

/** What an operator may call them, where an endpoint of his own stands before one. */
export const providerNames = dialects.map(({ name }) => slugOf(name));

const other: Dialect = { name: 'other', reasoning: openAiWords };

interface Endpoint {
  kind: string;
  baseUrl: string | undefined;
  provider: string | undefined;
}

/** @param server what the server said it is */
export function dialectOf(endpoint: Endpoint, server?: string): Dialect {
  if (endpoint.kind !== 'openai-compatible') return other;
  return namedDialect(endpoint) ?? dialects.find(({ name }) => name === server) ?? other;
}

/** Of the big providers we know what they can do; other servers are asked. */
export function isKnownProvider(endpoint: Endpoint): boolean {
  return namedDialect(endpoint) !== undefined;
}

function namedDialect({ baseUrl, provider }: Endpoint): Dialect | undefined {
  if (provider !== undefined) return dialects.find(({ name }) => slugOf(name) === provider);
  const host = URL.canParse(baseUrl ?? '') ? new URL(baseUrl ?? '').hostname : '';
  return dialects.find((dialect) => dialect.host?.test(host));
}

function slugOf(name: string): string {
  return name.toLowerCase().replace(/[ .]/gu, '-');
}
