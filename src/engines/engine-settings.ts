/** The settings of engines, from the engine file or from a handful of variables. */
import { parseLanguage } from '../language/languages.ts';
import { Secret } from '../secret.ts';
import type { EnginePrices } from './engine.ts';
import {
  checkedEngineFile,
  type EngineEntry,
  type EngineKind,
  invalidEngines,
  isLlm,
  type KeyUse,
  type llmKinds,
  type serviceKinds,
} from './engine-file.ts';
import type { JsonValue } from './json-value.ts';
import type { Effort } from './llm/dialects.ts';

export interface EngineSettings {
  /** In order of preference. */
  engines: readonly EngineConfig[];
  /** The first that fits a language pair decides; without one, every engine in the order given. */
  routes: readonly EngineRoute[];
  /** Name of the engine that goes over finished translations once more. */
  editor: string | undefined;
}

export type EngineConfig = LlmEngineConfig | BuiltInEngineConfig | ServiceEngineConfig | SandboxEngineConfig;

export interface SandboxEngineConfig {
  kind: 'sandbox';
  name: string;
}

export interface BuiltInEngineConfig {
  kind: 'built-in';
  name: string;
  /** Beginnings of a translation that are kept at once: 1 is fastest, 4 reads a little better. */
  beam: number;
  /** 0 = as many as the machine has. */
  threads: number;
  /** Serves pairs too in which an editor would do most sentences again. */
  experimental: boolean;
}

/** A machine-translation service that is no chat model. */
export interface ServiceEngineConfig {
  kind: (typeof serviceKinds)[number];
  name: string;
  baseUrl: string | undefined;
  apiKey: Secret | undefined;
  concurrency: number;
  timeoutMs: number;
  maxInputCharacters: number;
  sourceLanguages: readonly string[] | undefined;
  targetLanguages: readonly string[] | undefined;
}

export interface LlmEngineConfig {
  kind: (typeof llmKinds)[number];
  name: string;
  model: string;
  baseUrl: string | undefined;
  apiKey: Secret | undefined;
  concurrency: number;
  timeoutMs: number;
  /** Where the engine begins; it steps down by itself. */
  structuredOutput: 'schema' | 'json' | 'none';
  /** The operator has chosen it. */
  isFormatChosen: boolean;
  /** The window of the model; undefined = asked for, or learned. */
  contextTokens: number | undefined;
  reasoning: Effort | undefined;
  /** Whose words the server speaks, where its address does not tell. */
  provider: string | undefined;
  prices: EnginePrices | undefined;
  /** In the currency of `prices`. */
  budgetPerDay: number | undefined;
  inlineTags: boolean;
  maxInputCharacters: number;
  maxOutputTokens: number | undefined;
  temperature: number | undefined;
  sourceLanguages: readonly string[] | undefined;
  targetLanguages: readonly string[] | undefined;
  headers: Record<string, string>;
  providerOptions: Record<string, JsonValue>;
}

export interface EngineRoute {
  /** Language code; undefined = any. */
  source: string | undefined;
  target: string | undefined;
  /** Ranks, in order: the engines of one rank share its calls. */
  engines: readonly (readonly string[])[];
}

/**
 * Reads the engine file. `env` is where `api_key_env` names are looked up.
 * @throws AppError BAD_REQUEST with every fault under `details.faults`
 */
export function parseEngines(
  json: string,
  env: Readonly<Record<string, string | undefined>> = {},
  keys: KeyUse = 'needed',
): EngineSettings {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw invalidEngines(['the engine file is not JSON']);
  }
  return engineSettings(value, env, keys);
}

export interface EngineShortForm {
  engine: string;
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  model?: string | undefined;
  concurrency?: number | undefined;
}

/** One engine from a handful of variables. @throws AppError BAD_REQUEST like `parseEngines` */
export function engineFromShortForm(form: EngineShortForm, keys: KeyUse = 'needed'): EngineSettings {
  const entry = {
    name: form.engine,
    kind: form.engine,
    base_url: form.baseUrl,
    model: form.model,
    api_key: form.apiKey,
    concurrency: form.concurrency,
  };
  return engineSettings(
    { engines: [Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined))] },
    {},
    keys,
  );
}

function engineSettings(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
  keys: KeyUse,
): EngineSettings {
  const file = checkedEngineFile(value, env, keys);
  return {
    engines: file.engines.map((entry) => engineConfig(entry, env)),
    routes: (file.routes ?? []).map((route) => ({
      source: routeLanguage(route.source),
      target: routeLanguage(route.target),
      engines: route.engines.map((rank) => (typeof rank === 'string' ? [rank] : rank)),
    })),
    editor: file.editor,
  };
}

function engineConfig(entry: EngineEntry, env: Readonly<Record<string, string | undefined>>): EngineConfig {
  const kind: EngineKind = entry.kind;
  if (kind === 'sandbox') return { kind, name: entry.name };
  if (kind === 'built-in') {
    const { name, beam = 1, threads = 0, experimental = false } = entry;
    return { kind, name, beam, threads, experimental };
  }
  const key = entry.api_key ?? (entry.api_key_env === undefined ? undefined : env[entry.api_key_env]);
  const reached = {
    name: entry.name,
    baseUrl: entry.base_url?.replace(/\/+$/u, ''),
    apiKey: key === undefined ? undefined : new Secret(key),
    sourceLanguages: entry.source_languages?.map(languageCode),
    targetLanguages: entry.target_languages?.map(languageCode),
  };
  if (!isLlm(kind)) {
    return {
      ...reached,
      kind,
      concurrency: entry.concurrency ?? 4,
      timeoutMs: (entry.timeout_seconds ?? 60) * 1000,
      maxInputCharacters: entry.max_input_characters ?? 6_000,
    };
  }
  return {
    ...reached,
    kind,
    model: entry.model ?? '',
    // Ollama works one call after the other, unless it is told otherwise.
    concurrency: entry.concurrency ?? (kind === 'ollama' ? 2 : 16),
    timeoutMs: (entry.timeout_seconds ?? (kind === 'ollama' ? 600 : 180)) * 1000,
    // Compatible servers differ: `json_object` is what nearly all of them understand.
    structuredOutput: entry.structured_output ?? (kind === 'openai-compatible' ? 'json' : 'schema'),
    isFormatChosen: entry.structured_output !== undefined,
    contextTokens: entry.context_tokens,
    reasoning: entry.reasoning,
    provider: entry.provider,
    prices: entry.prices === undefined ? undefined : pricesOf(entry.prices),
    budgetPerDay: entry.budget_per_day,
    inlineTags: entry.inline_tags ?? true,
    maxInputCharacters: entry.max_input_characters ?? 6_000,
    maxOutputTokens: entry.max_output_tokens,
    temperature: entry.temperature,
    headers: entry.headers ?? {},
    providerOptions: (entry.provider_options ?? {}) as Record<string, JsonValue>,
  };
}

/** What is not given costs as much as any other token of a prompt. */
function pricesOf({ input, output, cached_input, cache_write }: NonNullable<EngineEntry['prices']>): EnginePrices {
  return { input, output, cachedInput: cached_input ?? input, cacheWrite: cache_write ?? input };
}

function routeLanguage(code: string | undefined): string | undefined {
  return code === undefined || code === '*' ? undefined : languageCode(code);
}

function languageCode(code: string): string {
  return parseLanguage(code)?.code ?? code;
}
