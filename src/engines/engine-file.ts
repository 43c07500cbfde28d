/** The engine file as operators write it, and what can be wrong with it. `engine-settings.ts` makes settings of it. */
import { type Static, Type } from 'typebox';
import { Settings } from 'typebox/system';
import { Value } from 'typebox/value';
import { parseLanguage } from '../language/languages.ts';
import { isOneOf } from '../written-values.ts';
import { efforts, providerNames } from './llm/dialects.ts';

export const llmKinds = ['ollama', 'openai-compatible', 'openai', 'anthropic', 'google'] as const;
export const serviceKinds = ['libretranslate', 'deepl'] as const;
/** Every kind of engine, in the words of the engine file and of `TOLEDO_ENGINE`. */
const engineKinds = ['built-in', ...llmKinds, ...serviceKinds, 'sandbox'] as const;
export type EngineKind = (typeof engineKinds)[number];

const strict = { additionalProperties: false } as const;
const languages = Type.Array(Type.String(), { minItems: 1 });

const price = Type.Number({ minimum: 0, maximum: 1_000_000 });
/** Money per million tokens, in whatever currency the operator counts. */
const pricesSchema = Type.Object(
  { input: price, output: price, cached_input: Type.Optional(price), cache_write: Type.Optional(price) },
  strict,
);

/** What engines know that are reached over a network. */
const remoteSchema = Type.Partial(
  Type.Object({
    base_url: Type.String({ pattern: '^https?://' }),
    api_key: Type.String({ minLength: 1 }),
    api_key_env: Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }),
    concurrency: Type.Integer({ minimum: 1, maximum: 1024 }),
    timeout_seconds: Type.Number({ minimum: 1, maximum: 3600 }),
    max_input_characters: Type.Integer({ minimum: 100, maximum: 200_000 }),
    source_languages: languages,
    target_languages: languages,
  }),
);

const llmSchema = Type.Partial(
  Type.Object({
    model: Type.String({ minLength: 1 }),
    context_tokens: Type.Integer({ minimum: 1_024, maximum: 10_000_000 }),
    reasoning: Type.Union(efforts.map((effort) => Type.Literal(effort))),
    provider: Type.Union(providerNames.map((name) => Type.Literal(name))),
    prices: pricesSchema,
    budget_per_day: Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000_000 }),
    structured_output: Type.Union([Type.Literal('schema'), Type.Literal('json'), Type.Literal('none')]),
    inline_tags: Type.Boolean(),
    max_output_tokens: Type.Integer({ minimum: 64, maximum: 1_000_000 }),
    temperature: Type.Number({ minimum: 0, maximum: 2 }),
    headers: Type.Record(Type.String(), Type.String()),
    provider_options: Type.Record(Type.String(), Type.Unknown()),
  }),
);

const builtInSchema = Type.Partial(
  Type.Object({
    beam: Type.Integer({ minimum: 1, maximum: 8 }),
    threads: Type.Integer({ minimum: 1, maximum: 64 }),
    experimental: Type.Boolean(),
  }),
);

const engineEntrySchema = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,39}$' }),
    kind: Type.Union(engineKinds.map((kind) => Type.Literal(kind))),
    ...remoteSchema.properties,
    ...llmSchema.properties,
    ...builtInSchema.properties,
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
const engineFileSchema = Type.Object(
  {
    engines: Type.Array(engineEntrySchema, { minItems: 1, maxItems: 50 }),
    routes: Type.Optional(Type.Array(routeSchema)),
    editor: Type.Optional(Type.String()),
  },
  strict,
);

export type EngineFile = Static<typeof engineFileSchema>;
export type EngineEntry = EngineFile['engines'][number];

/**
 * Whether this process calls engines, or only has to know what they can do. An API process needs no keys, and nobody can
 * steal from it what it does not have.
 */
export type KeyUse = 'needed' | 'elsewhere';

/** Names every fault in the engine settings, one sentence each. */
export class EngineChoiceError extends Error {
  override readonly name = 'EngineChoiceError';
  readonly faults: string[];
  constructor(faults: string[]) {
    super(faults.join('; '));
    this.faults = faults;
  }
}

/** @throws EngineChoiceError */
export function checkedEngineFile(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
  keys: KeyUse,
): EngineFile {
  const faults = formFaults(value);
  if (faults.length > 0 || !Value.Check(engineFileSchema, value)) throw new EngineChoiceError(faults);
  faults.push(...contradictions(value, env, keys));
  if (faults.length > 0) throw new EngineChoiceError(faults);
  return value;
}

/** All at once: unless it is told otherwise, the validator stops after eight. */
function formFaults(value: unknown): string[] {
  Settings.Set({ maxErrors: Number.POSITIVE_INFINITY });
  return [...new Set(Value.Errors(engineFileSchema, value).flatMap(describeError))];
}

function describeError(error: { instancePath: string; message: string; params?: object }): string[] {
  // Reported once more, by name, as an unknown setting of the thing that holds it.
  if (error.message === 'schema is false') return [];
  const where = error.instancePath.slice(1).replaceAll('/', '.') || 'the file';
  if (where.endsWith('.kind')) return [`${where} must be one of ${engineKinds.join(', ')}`];
  const { params } = error;
  const extra = params !== undefined && 'additionalProperties' in params ? params.additionalProperties : undefined;
  return [Array.isArray(extra) ? `${where} has unknown settings: ${extra.join(', ')}` : `${where} ${error.message}`];
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
    ...(takesModel ? [] : Object.keys(llmSchema.properties)),
    ...(local ? Object.keys(remoteSchema.properties) : []),
    ...(kind === 'built-in' ? [] : Object.keys(builtInSchema.properties)),
  ].filter((field) => Object.hasOwn(entry, field));
  if (unused.length > 0) faults.push(`${at} is of kind ${kind}, which has no ${unused.join(', ')}`);
  return faults;
}

function missingKey({ kind, base_url, api_key, api_key_env }: EngineEntry, at: string): string[] {
  const isKeyless = kind === 'openai-compatible' || kind === 'ollama';
  const needsKey = kind === 'deepl' || (isLlm(kind) && !isKeyless && base_url === undefined);
  return needsKey && api_key === undefined && api_key_env === undefined ? [`${at} needs api_key or api_key_env`] : [];
}

export function isLlm(kind: EngineKind): kind is (typeof llmKinds)[number] {
  return isOneOf(kind, llmKinds);
}
