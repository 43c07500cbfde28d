/** Asks a model through the SDK, as a stream. */

import { createHash } from 'node:crypto';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { CallNotes, EngineUsage } from '../engine.ts';
import type { LlmEngineConfig } from '../engine-settings.ts';
import type { JsonValue } from '../json-value.ts';
import type { Capabilities } from './capabilities.ts';
import { dialectOf, type Effort } from './dialects.ts';
import { type AskModel, type Collected, type ModelQuestion, modelAsker } from './model-call.ts';
import type { Prompt } from './prompt.ts';
import type { RequestShape } from './shape-request.ts';

export function sdkModel(config: LlmEngineConfig, capabilities: Capabilities): AskModel {
  return modelAsker(config, capabilities, {
    shape: (question) => shapeOf(config, capabilities, question),
    async collect(question, soFar, http, signal) {
      const options = { ...optionsOf(config, capabilities, question), abortSignal: signal };
      await collectStream(providerModel(config, http.fetch), options, soFar, question.notes).catch((error) => {
        // The SDK finds no event in an answer that came as a whole.
        if (http.wholeAnswer() === undefined) throw error;
      });
      const whole = http.wholeAnswer();
      if (whole === undefined) return;
      const answer = new Response(whole, { headers: { 'content-type': 'application/json' } });
      await collectWhole(
        providerModel(config, async () => answer),
        options,
        soFar,
      );
    },
  });
}

type StreamPart =
  Awaited<ReturnType<ProviderModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;
type Ending = Omit<Extract<StreamPart, { type: 'finish' }>, 'type'>;

async function collectStream(
  model: ProviderModel,
  options: ModelOptions,
  soFar: Collected,
  notes: CallNotes,
): Promise<void> {
  const { stream } = await model.doStream(options);
  for await (const part of stream) {
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') notes.onWords?.();
    if (part.type === 'text-delta') soFar.text += part.delta;
    else if (part.type === 'reasoning-delta') soFar.thoughts += part.delta;
    else if (part.type === 'error') throw part.error;
    else if (part.type === 'finish') ended(soFar, part);
  }
}

async function collectWhole(model: ProviderModel, options: ModelOptions, soFar: Collected): Promise<void> {
  const answer = await model.doGenerate(options);
  for (const part of answer.content) {
    if (part.type === 'text') soFar.text += part.text;
    else if (part.type === 'reasoning') soFar.thoughts += part.text;
  }
  ended(soFar, answer);
}

function ended(soFar: Collected, { finishReason, usage }: Ending): void {
  // In the words of the server; a refusal that came as a field of its own has none.
  soFar.finish = finishReason.unified === 'content-filter' ? 'content_filter' : finishReason.raw;
  soFar.usage = usage.inputTokens.total === undefined ? undefined : usageOf(usage);
  if ((usage.outputTokens.reasoning ?? 0) > 0) soFar.thoughts ||= ' ';
}

function usageOf({ inputTokens, outputTokens, raw }: Ending['usage']): EngineUsage {
  const details = (raw?.prompt_tokens_details ?? {}) as Record<string, unknown>;
  const written = Number(
    inputTokens.cacheWrite ?? details.cache_write_tokens ?? details.cache_creation_input_tokens ?? 0,
  );
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    cachedInputTokens: inputTokens.cacheRead || Number(raw?.prompt_cache_hit_tokens ?? 0),
    ...(written > 0 ? { cacheWriteTokens: written } : {}),
  };
}

function optionsOf(config: LlmEngineConfig, { effort }: Capabilities, question: ModelQuestion): ModelOptions {
  const { prompt, format, schema, answerTokens, notes, stableTokens } = question;
  const isMarked = config.kind === 'anthropic' && stableTokens >= anthropicMarksFromTokens;
  const mark = isMarked ? { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } } : {};
  return {
    prompt: [
      { role: 'system', content: prompt.instructions, ...(prompt.brief === '' ? mark : {}) },
      { role: 'user', content: userParts(prompt, mark) },
    ],
    maxOutputTokens: answerTokens,
    ...(config.temperature === undefined ? {} : { temperature: config.temperature }),
    ...(config.kind === 'openai-compatible' || effort === 'unset' ? {} : { reasoning: sdkEffort(effort) }),
    ...(format.mode === 'text'
      ? {}
      : { responseFormat: { type: 'json', ...(format.mode === 'schema' ? { name: 'answer', schema } : {}) } }),
    providerOptions: providerOptions(config, notes.owner?.task),
  };
}

/** In one part where nothing is marked: small servers take a string only. */
function userParts({ brief, data }: Prompt, mark: Pick<TextPart, 'providerOptions'>): TextPart[] {
  if (brief === '' || mark.providerOptions === undefined) return [{ type: 'text', text: brief + data }];
  return [
    { type: 'text', text: brief, ...mark },
    { type: 'text', text: data },
  ];
}

type TextPart = Extract<Extract<ModelOptions['prompt'][number], { role: 'user' }>['content'][number], { type: 'text' }>;

/** The least of its models; the others ignore a mark that is too small for them. */
const anthropicMarksFromTokens = 512;

function sdkEffort(effort: Effort): 'none' | 'low' | 'medium' | 'high' {
  return effort === 'off' ? 'none' : effort;
}

function providerOptions(
  config: LlmEngineConfig,
  task: string | undefined,
): NonNullable<ModelOptions['providerOptions']> {
  if (config.kind === 'openai-compatible') return { engine: config.providerOptions };
  return { [config.kind]: { ...ownOptions(config, task), ...config.providerOptions } };
}

function ownOptions(config: LlmEngineConfig, task: string | undefined): Record<string, JsonValue> {
  switch (config.kind) {
    case 'anthropic':
      // By default the provider passes a tool for models it does not know; we never pass tools.
      return { structuredOutputMode: 'outputFormat' };
    case 'google':
      return {
        safetySettings: harmCategories.map((harm) => ({ category: `HARM_CATEGORY_${harm}`, threshold: 'BLOCK_NONE' })),
      };
    case 'openai':
      return task === undefined ? {} : { promptCacheKey: nameHash(task) };
    default:
      return {};
  }
}

/** Novels have crimes in them; what a provider never allows it blocks all the same. */
const harmCategories = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT'];

function shapeOf(config: LlmEngineConfig, capabilities: Capabilities, question: ModelQuestion): RequestShape {
  const { dropped = [], limitName, rulesFrom, server } = capabilities.learned;
  const shape = { dropped, limitName, rulesFrom };
  if (config.kind !== 'openai-compatible') return shape;
  const dialect = dialectOf(config, server);
  const { effort } = capabilities;
  const { account, task } = question.notes.owner ?? {};
  return {
    ...shape,
    added: {
      ...(effort === 'unset' ? {} : dialect.reasoning(effort)),
      ...(dialect.partnerField && account !== undefined ? { [dialect.partnerField]: nameHash(account) } : {}),
      ...(dialect.bookField && task !== undefined ? { [dialect.bookField]: nameHash(task) } : {}),
    },
    markedFront:
      question.stableTokens >= (dialect.marksFromTokens ?? Number.POSITIVE_INFINITY)
        ? question.prompt.brief
        : undefined,
  };
}

/** The providers of the SDK speak one interface. */
type ProviderModel = ReturnType<ReturnType<typeof createOpenAI>['chat']>;
type ModelOptions = Parameters<ProviderModel['doStream']>[0];

/** Made for each call, which has a `fetch` of its own: nothing but a few closures. */
function providerModel(config: LlmEngineConfig, fetch: typeof globalThis.fetch): ProviderModel {
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

/** A stable name for a partner or a book that tells a provider nothing about them. */
function nameHash(id: string): string {
  return createHash('sha256').update(`toledo ${id}`).digest('hex').slice(0, 32);
}
