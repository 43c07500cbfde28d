import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { LlmEngineConfig } from '../engine-settings.ts';

export function providerModel(config: LlmEngineConfig): LanguageModel {
  const shared = {
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
        baseURL: config.baseUrl ?? '',
        headers: config.headers,
        ...(config.apiKey === undefined ? {} : { apiKey: config.apiKey.reveal() }),
        supportsStructuredOutputs: config.structuredOutput === 'schema',
      }).chatModel(config.model);
  }
}
