import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { badRequest } from '../errors.ts';
import { parseLanguage } from '../language/languages.ts';
import { Secret } from '../secret.ts';
import { isOneOf } from '../written-values.ts';
import type { EnginePrices } from './engine.ts';
import type { JsonValue } from './json-value.ts';
import { type Effort, efforts, providerNames } from './llm/dialects.ts';

const llmKinds = ['ollama', 'openai-compatible', 'openai', 'anthropic', 'google'] as const;
const serviceKinds = ['libretranslate', 'deepl'] as const;
/** Every kind of engine, in the words of the engine file and of `TOLEDO_ENGINE`. */
export const engineKinds = ['built-in', ...llmKinds, ...serviceKinds, 'sandbox'] as const;
type EngineKind = (typeof engineKinds)[number];

const strict = { additionalProperties: false } as const;
const languages = Type.Array(Type.String(), { minItems: 1 });

const price = Type.Number({ minimum: 0, maximum: 1_000_000 });
/** Money per million tokens, in whatever currency the operator counts. */
const pricesSchema = Type.Object(
  { input: price, output: price, cached_input: Type.Optional(price), cache_write: Type.Optional(price) },
  strict,
);

const engineEntrySchema = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,39}$' }),
    kind: Type.Union(engineKinds.map((kind) => Type.Literal(kind))),
    base_url: Type.Optional(Type.String({ pattern: '^https?://' })),
    model: Type.Optional(Type.String({ minLength: 1 })),
    api_key: Type.Optional(Type.String({ minLength: 1 })),
    api_key_env: Type.Optional(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' })),
    concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 1024 })),
    timeout_seconds: Type.Optional(Type.Number({ minimum: 1, maximum: 3600 })),
    structured_output: Type.Optional(Type.Union([Type.Literal('schema'), Type.Literal('json'), Type.Literal('none')])),
    inline_tags: Type.Optional(Type.Boolean()),
    max_input_characters: Type.Optional(Type.Integer({ minimum: 100, maximum: 200_000 })),
    max_output_tokens: Type.Optional(Type.Integer({ minimum: 64, maximum: 1_000_000 })),
    context_tokens: Type.Optional(Type.Integer({ minimum: 1_024, maximum: 10_000_000 })),
    reasoning: Type.Optional(Type.Union(efforts.map((effort) => Type.Literal(effort)))),
    provider: Type.Optional(Type.Union(providerNames.map((name) => Type.Literal(name)))),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    prices: Type.Optional(pricesSchema),
    budget_per_day: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000_000 })),
    source_languages: Type.Optional(languages),
    target_languages: Type.Optional(languages),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    provider_options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    beam: Type.Optional(Type.Integer({ minimum: 1, maximum: 8 })),
    threads: Type.Optional(Type.Integer({ minimum: 1, maximum: 64 })),
    experimental: Type.Optional(Type.Boolean()),
  },
  strict,
);

const routeSchema = Type.Object(
  {
    source: Type.Optional(Type.String()),
    target: Type.Optional(Type.String()),
    engines: Type.Array(Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })]), { minItems: 1 }),
  },
  strict,
);

/** The engine file, as operators write it. See docs/operating/engines.md. */
export const engineFileSchema = Type.Object(
  {
    engines: Type.Array(engineEntrySchema, { minItems: 1, maxItems: 50 }),
    routes: Type.Optional(Type.Array(routeSchema)),
    editor: Type.Optional(Type.String()),
  },
  strict,
);

type EngineFile = Static<typeof engineFileSchema>;
type EngineEntry = EngineFile['engines'][number];

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
 * Whether this process calls engines, or only has to know what they can do: an API process needs no keys, and what it does
 * not have nobody can steal from it.
 */
export type KeyUse = 'needed' | 'elsewhere';

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
    throw invalid(['the engine file is not JSON']);
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
  const faults = formFaults(value);
  if (faults.length > 0 || !Value.Check(engineFileSchema, value)) throw invalid(faults);
  faults.push(...contradictions(value, env, keys));
  if (faults.length > 0) throw invalid(faults);
  return {
    engines: value.engines.map((entry) => engineConfig(entry, env)),
    routes: (value.routes ?? []).map((route) => ({
      source: routeLanguage(route.source),
      target: routeLanguage(route.target),
      engines: route.engines.map((rank) => (typeof rank === 'string' ? [rank] : rank)),
    })),
    editor: value.editor,
  };
}

function invalid(faults: readonly string[]): Error {
  return badRequest(`The engine settings are not valid: ${faults.join('; ')}`, { reason: 'invalid_engines', faults });
}

/** The validator stops after eight faults, so every field of every entry is asked by itself. */
function formFaults(value: unknown): string[] {
  const faults = Value.Errors(engineFileSchema, value).flatMap((error) => describeError(error, ''));
  const entries = isRecord(value) && Array.isArray(value.engines) ? value.engines : [];
  entries.forEach((entry: unknown, index) => {
    if (!isRecord(entry)) return;
    for (const [field, schema] of Object.entries(engineEntrySchema.properties)) {
      if (!(field in entry)) continue;
      const at = `/engines/${index}/${field}`;
      faults.push(...Value.Errors(schema, entry[field]).flatMap((error) => describeError(error, at)));
    }
  });
  return [...new Set(faults)];
}

function describeError(error: { instancePath: string; message: string; params?: object }, prefix: string): string[] {
  // Reported once more, by name, as an unknown setting of the thing that holds it.
  if (error.message === 'schema is false') return [];
  const where = `${prefix}${error.instancePath}`.slice(1).replaceAll('/', '.') || 'the file';
  if (where.endsWith('.kind')) return [`${where} must be one of ${engineKinds.join(', ')}`];
  const { params } = error;
  const extra = params !== undefined && 'additionalProperties' in params ? params.additionalProperties : undefined;
  return [Array.isArray(extra) ? `${where} has unknown settings: ${extra.join(', ')}` : `${where} ${error.message}`];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a schema cannot say. */
function contradictions(file: EngineFile, env: Readonly<Record<string, string | undefined>>, keys: KeyUse): string[] {
  const faults: string[] = [];
  const names = new Set<string>();
  file.engines.forEach((entry, index) => {
    const at = `engines.${index}`;
    if (names.has(entry.name)) faults.push(`${at}.name "${entry.name}" is used twice`);
    names.add(entry.name);
    faults.push(...entryFaults(entry, at));
    if (keys === 'needed') faults.push(...missingKey(entry, at));
    if (keys === 'needed' && entry.api_key_env !== undefined && !env[entry.api_key_env]) {
      faults.push(`${at}.api_key_env names ${entry.api_key_env}, which is not set`);
    }
    for (const field of ['source_languages', 'target_languages'] as const) {
      for (const code of entry[field] ?? []) {
        if (parseLanguage(code) === undefined) faults.push(`${at}.${field} has the unknown language "${code}"`);
      }
    }
  });
  file.routes?.forEach((route, index) => {
    for (const side of ['source', 'target'] as const) {
      const code = route[side];
      if (code !== undefined && code !== '*' && parseLanguage(code) === undefined) {
        faults.push(`routes.${index}.${side} is the unknown language "${code}"`);
      }
    }
    const named = route.engines.flat();
    for (const name of new Set(named)) {
      if (!names.has(name)) faults.push(`routes.${index}.engines names "${name}", which is not an engine`);
      if (named.indexOf(name) !== named.lastIndexOf(name)) faults.push(`routes.${index}.engines names "${name}" twice`);
    }
  });
  faults.push(...editorFaults(file));
  return faults;
}

function editorFaults({ engines, editor }: EngineFile): string[] {
  if (editor === undefined) return [];
  const entry = engines.find(({ name }) => name === editor);
  if (entry === undefined) return [`editor names "${editor}", which is not an engine`];
  return isLlm(entry.kind) ? [] : [`editor names "${editor}", which is of kind ${entry.kind} and cannot edit`];
}

/** What each kind needs and does not know. */
function entryFaults(entry: EngineEntry, at: string): string[] {
  const faults: string[] = [];
  const kind: EngineKind = entry.kind;
  const takesModel = isLlm(kind);
  const local = kind === 'built-in' || kind === 'sandbox';
  if (takesModel && entry.model === undefined) faults.push(`${at}.model is missing`);
  if ((kind === 'openai-compatible' || kind === 'libretranslate') && entry.base_url === undefined)
    faults.push(`${at}.base_url is missing`);
  if (entry.api_key !== undefined && entry.api_key_env !== undefined)
    faults.push(`${at} has both api_key and api_key_env`);
  if (entry.budget_per_day !== undefined && entry.prices === undefined)
    faults.push(`${at}.budget_per_day needs prices: without them nobody knows what is spent`);
  // A setting that would be ignored is a misunderstanding, and somebody would pay for it.
  const unused = [
    ...(takesModel ? [] : llmOnly),
    ...(local ? remoteOnly : []),
    ...(kind === 'built-in' ? [] : builtInOnly),
  ].filter((field) => entry[field] !== undefined);
  if (unused.length > 0) faults.push(`${at} is of kind ${kind}, which has no ${unused.join(', ')}`);
  return faults;
}

function missingKey({ kind, base_url, api_key, api_key_env }: EngineEntry, at: string): string[] {
  const isKeyless = kind === 'openai-compatible' || kind === 'ollama';
  const needsKey = kind === 'deepl' || (isLlm(kind) && !isKeyless && base_url === undefined);
  return needsKey && api_key === undefined && api_key_env === undefined ? [`${at} needs api_key or api_key_env`] : [];
}

const llmOnly = [
  'model',
  'context_tokens',
  'reasoning',
  'provider',
  'prices',
  'budget_per_day',
  'structured_output',
  'inline_tags',
  'max_output_tokens',
  'temperature',
  'headers',
  'provider_options',
] as const;
const remoteOnly = [
  'base_url',
  'api_key',
  'api_key_env',
  'concurrency',
  'timeout_seconds',
  'max_input_characters',
  'source_languages',
  'target_languages',
] as const;
const builtInOnly = ['beam', 'threads', 'experimental'] as const;

function isLlm(kind: EngineKind): kind is LlmEngineConfig['kind'] {
  return isOneOf(kind, llmKinds);
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
function pricesOf({ input, output, cached_input, cache_write }: Static<typeof pricesSchema>): EnginePrices {
  return { input, output, cachedInput: cached_input ?? input, cacheWrite: cache_write ?? input };
}

function routeLanguage(code: string | undefined): string | undefined {
  return code === undefined || code === '*' ? undefined : languageCode(code);
}

function languageCode(code: string): string {
  return parseLanguage(code)?.code ?? code;
}
