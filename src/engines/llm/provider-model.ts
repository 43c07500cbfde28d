import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LlmEngineConfig } from '../engine-settings.ts';

/** The providers of the SDK speak one interface. */
export type ProviderModel = ReturnType<ReturnType<typeof createOpenAI>['chat']>;
export type ModelOptions = Parameters<ProviderModel['doStream']>[0];

/** Made for each call, which has a `fetch` of its own: nothing but a few closures. */
export function providerModel(config: LlmEngineConfig, fetch: typeof globalThis.fetch): ProviderModel {
  const shared = {
    fetch,
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
    default:
      return createOpenAICompatible({
        name: 'engine',
        fetch,
        baseURL: config.baseUrl ?? '',
        headers: config.headers,
        includeUsage: true,
        // Whether a schema is sent is decided by the format, not here.
        supportsStructuredOutputs: true,
        ...(config.apiKey === undefined ? {} : { apiKey: config.apiKey.reveal() }),
      }).chatModel(config.model);
  }
}
