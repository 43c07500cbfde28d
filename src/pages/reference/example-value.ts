import { defaultLimits, type Limits } from '../../limits.ts';
import { nameOf, type Schema } from './openapi-types.ts';

type Named = Record<string, Schema>;

/** A value that fits a schema, with every field but the one that only test keys see. */
export function exampleValue(schema: Schema | undefined, named: Named, field = ''): unknown {
  return fittingValue(schema, named, field, (all) => all.filter((name) => name !== 'livemode'));
}

/** The least that a request may send: what is required, or one change of those that are possible. */
export function exampleBody(schema: Schema, named: Named): unknown {
  return fittingValue(schema, named, '', (all, { required = [] }) => {
    const needed = all.filter((name) => required.includes(name));
    return needed.length > 0 ? needed : all.slice(0, 1);
  });
}

type Fields = (all: string[], schema: Schema) => string[];

function fittingValue(schema: Schema | undefined, named: Named, field: string, fields: Fields): unknown {
  if (schema === undefined) return null;
  const reference = nameOf(schema);
  if (reference !== undefined) return fittingValue(named[reference], named, field, fields);
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  const { enum: closed, anyOf, properties, additionalProperties, items } = schema;
  if (closed) return closed[0];
  if (anyOf) {
    const isNullable = anyOf.some(({ type }) => type === 'null');
    return isNullable && usualValue(field) === undefined ? null : fittingValue(anyOf[0], named, field, fields);
  }
  if (properties) {
    const names = fields(Object.keys(properties), schema);
    return Object.fromEntries(names.map((name) => [name, fittingValue(properties[name], named, name, fields)]));
  }
  if (typeof additionalProperties === 'object')
    return { external_id: fittingValue(additionalProperties, named, 'external_id', fields) };
  if (items) return [fittingValue(items, named, field, fields)];
  const usual = usualValue(field);
  switch ([schema.type].flat()[0]) {
    case 'integer':
    case 'number':
      return typeof usual === 'number' ? usual : (schema.minimum ?? 1);
    case 'boolean':
      return true;
    case 'object':
      return {};
    case 'null':
      return null;
    default:
      if (schema.format === 'date-time') return '2026-11-15T08:30:00.000Z';
      return typeof usual === 'string' ? usual : '…';
  }
}

function usualValue(field: string): string | number | undefined {
  if (field in prefixes) return `${prefixes[field]}_8ta8v2q3ra4acqps0bs2qqnr8c`;
  const limit = field.replace(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase());
  return usualValues[field] ?? defaultLimits[limit as keyof Limits];
}

/** What fields usually hold. */
const usualValues: Readonly<Record<string, string | number>> = {
  aliases: 'Calmo',
  answer: '',
  api_key_prefix: 'tol_live_4kQz',
  author: 'Elena Quiroga Paz',
  balance_credits: 1_000_000,
  billable_characters: 31250,
  chapter_count: 42,
  chapters: 2,
  char_count: 418204,
  characters: 1580,
  code: 'es',
  confidence: 0.85,
  count: 3,
  credits: 418204,
  credits_charged: 418204,
  declared_language: 'es',
  description: 'Production',
  detected_language: 'es',
  detected_language_confidence: 0.99,
  duration_ms: 84,
  encoding: 'utf-8',
  estimated_credits: 420000,
  estimated_tokens: 512400,
  expires_in: 604800,
  external_id: 'order-4711',
  failed: 0,
  file_name: 'novel.en.epub',
  file_size: 734112,
  format: 'epub',
  gender: 'unknown',
  images: 4,
  input_tokens: 361200,
  kept: 250,
  kind: 'paragraph',
  name: 'Spanish',
  native_name: 'español',
  occurrences: 6,
  output_tokens_high: 151200,
  output_tokens_low: 128900,
  paragraph_count: 3120,
  paragraphs: 61,
  period_end: '2026-12-15T08:30:00.000Z',
  progress: 0.41,
  rate_limit_per_minute: 60,
  remembered_characters: 418204,
  remembered_paragraphs: 4120,
  reused: 386954,
  reused_characters: 386954,
  sample_characters: 20000,
  script: 'Latn',
  secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
  segments: 320,
  sha256: '9f2b1c6de7b4a0d6a5c1f1f0f6a7ce2e3d1a3f0a5ec6b1f0c8f7d2b4a6e8c013',
  source: 'Puerto Calmo',
  source_lang: 'es',
  status_code: 204,
  style: 'Plain and warm.',
  target: 'Calm Harbour',
  target_lang: 'en',
  terms: 42,
  title: 'El Faro de Sal',
  total: 418204,
  total_characters: 418204,
  translated: 31000,
  translated_title: 'The Lighthouse of Salt',
  translation: 'Calm Harbour',
  type: 'place',
  unit: 'Puerto Calmo',
  untranslated: 0,
  url: 'https://partner.example/toledo',
  writing_mode: 'horizontal',
};

const prefixes: Readonly<Record<string, string>> = {
  task_id: 'task',
  first_task_id: 'task',
  series_id: 'ser',
  webhook_id: 'whk',
  delivery_id: 'dlv',
  event_id: 'evt',
  id: 'evt',
  next_after: 'evt',
  link_id: 'rdl',
};
