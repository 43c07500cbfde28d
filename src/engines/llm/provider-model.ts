import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { LlmEngineConfig } from '../engine-settings.ts';
import { boundedFetch } from './bounded-fetch.ts';

/**
 * 8,000 tokens of text written as `\\u` escapes have some 200,000 bytes; the rest is for servers that send their reasoning
 * along. An engine with a larger output of its own gets as much more.
 */
const leastAnswerBytes = 2 * 1024 * 1024;
const bytesPerToken = 64;

export function providerModel(config: LlmEngineConfig): LanguageModel {
  const maxBytes = Math.max(leastAnswerBytes, (config.maxOutputTokens ?? 0) * bytesPerToken);
  const bounded = boundedFetch(maxBytes);
  const shared = {
    fetch: bounded,
    ...(config.baseUrl === undefined ? {} : { baseURL: config.baseUrl }),
    // An empty key keeps the SDK from looking for one in the environment, which only config.ts may read.
    apiKey: config.apiKey?.reveal() ?? '',
    headers: config.headers,
  };
  switch (config.kind) {
    case 'openai':
      // Chat completions, not the newer Responses: the same protocol as every compatible server.
      return createOpenAI(shared).chat(config.model);
    case 'anthropic':
      return createAnthropic(shared)(config.model);
    case 'google':
      return createGoogle(shared)(config.model);
    case 'openai-compatible':
      return createOpenAICompatible({
        name: 'engine',
        fetch: bounded,
        baseURL: config.baseUrl ?? '',
        headers: config.headers,
        ...(config.apiKey === undefined ? {} : { apiKey: config.apiKey.reveal() }),
        supportsStructuredOutputs: config.structuredOutput === 'schema',
      }).chatModel(config.model);
  }
}
