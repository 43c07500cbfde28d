/** The settings of engines, from the engine file or from a handful of variables. */
import { parseLanguage } from '../language/languages.ts';
import { Secret } from '../secret.ts';
import type { EnginePrices } from './engine.ts';
import {
  checkedEngineFile,
  EngineChoiceError,
  type EngineEntry,
  type EngineKind,
  isLlm,
  type KeyUse,
  type llmKinds,
  type serviceKinds,
} from './engine-file.ts';
import { type JsonValue, jsonOf } from './json-value.ts';

export interface EngineSettings {
  /** In order of preference. */
  engines: readonly EngineConfig[];
  /** The first that fits a language pair decides; without one, every engine in the order given. */
  routes: readonly EngineRoute[];
  /** Name of the engine that goes over finished translations once more. */
  editor: string | undefined;
}

export type EngineConfig = LlmEngineConfig | BuiltInEngineConfig | ServiceEngineConfig | SandboxEngineConfig;
export type LlmEngineConfig = ReturnType<typeof llmConfig>;
export type BuiltInEngineConfig = ReturnType<typeof builtInConfig>;
/** A machine-translation service that is no chat model. */
export type ServiceEngineConfig = ReturnType<typeof remoteConfig> & { kind: (typeof serviceKinds)[number] };
interface SandboxEngineConfig {
  kind: 'sandbox';
  name: string;
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
 * @throws EngineChoiceError
 */
export function parseEngines(
  json: string,
  env: Readonly<Record<string, string | undefined>> = {},
  keys: KeyUse = 'needed',
): EngineSettings {
  const value = jsonOf(json);
  if (value === undefined) throw new EngineChoiceError(['the engine file is not JSON']);
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
  if (kind === 'built-in') return builtInConfig(entry);
  return isLlm(kind) ? llmConfig(kind, entry, env) : { ...remoteConfig(kind, entry, env), kind };
}

function builtInConfig({ name, beam = 1, threads = 0, experimental = false }: EngineEntry) {
  return {
    kind: 'built-in' as const,
    name,
    /** Beginnings of a translation that are kept at once: 1 is fastest, 4 reads a little better. */
    beam,
    /** 0 = as many as the machine has. */
    threads,
    /** Serves pairs too in which an editor would do most sentences again. */
    experimental,
  };
}

/** What is reached over a network. */
function remoteConfig(kind: EngineKind, entry: EngineEntry, env: Readonly<Record<string, string | undefined>>) {
  const key = entry.api_key ?? (entry.api_key_env === undefined ? undefined : env[entry.api_key_env]);
  const usual: UsualRemote = usualRemotes[kind] ?? { concurrency: 16, seconds: 180 };
  return {
    name: entry.name,
    baseUrl: entry.base_url?.replace(/\/+$/u, ''),
    apiKey: key === undefined ? undefined : new Secret(key),
    sourceLanguages: entry.source_languages?.map(languageCode),
    targetLanguages: entry.target_languages?.map(languageCode),
    concurrency: entry.concurrency ?? usual.concurrency,
    timeoutMs: (entry.timeout_seconds ?? usual.seconds) * 1000,
    maxInputCharacters: entry.max_input_characters ?? 6_000,
  };
}

function llmConfig(
  kind: (typeof llmKinds)[number],
  entry: EngineEntry,
  env: Readonly<Record<string, string | undefined>>,
) {
  return {
    ...remoteConfig(kind, entry, env),
    kind,
    model: entry.model ?? '',
    /** Where the engine begins; it steps down by itself. Compatible servers differ: `json_object` is what nearly all of them understand. */
    structuredOutput: entry.structured_output ?? (kind === 'openai-compatible' ? 'json' : 'schema'),
    /** The operator has chosen it. */
    isFormatChosen: entry.structured_output !== undefined,
    /** The window of the model; undefined = asked for, or learned. */
    contextTokens: entry.context_tokens,
    reasoning: entry.reasoning,
    /** Whose words the server speaks, where its address does not tell. */
    provider: entry.provider,
    prices: entry.prices === undefined ? undefined : pricesOf(entry.prices),
    /** In the currency of `prices`. */
    budgetPerDay: entry.budget_per_day,
    inlineTags: entry.inline_tags ?? true,
    maxOutputTokens: entry.max_output_tokens,
    temperature: entry.temperature,
    headers: entry.headers ?? {},
    providerOptions: (entry.provider_options ?? {}) as Record<string, JsonValue>,
  };
}

interface UsualRemote {
  concurrency: number;
  seconds: number;
}

const usualRemotes: Partial<Record<EngineKind, UsualRemote>> = {
  // Ollama works one call after the other, unless it is told otherwise.
  ollama: { concurrency: 2, seconds: 600 },
  libretranslate: { concurrency: 4, seconds: 60 },
  deepl: { concurrency: 4, seconds: 60 },
};

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
