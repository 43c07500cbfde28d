import { nameOf, type Schema } from './openapi-types.ts';

/** A value that fits a schema: what the reference shows for an operation without an example of its own. */
export function exampleValue(schema: Schema | undefined, named: Record<string, Schema>, field = ''): unknown {
  if (schema === undefined) return null;
  const reference = nameOf(schema);
  if (reference !== undefined) return exampleValue(named[reference], named, field);
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return exampleValue(schema.anyOf[0], named, field);
  if (schema.properties) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, exampleValue(property, named, name)]),
    );
  }
  if (typeof schema.additionalProperties === 'object')
    return { name: exampleValue(schema.additionalProperties, named, field) };
  if (schema.items) return [exampleValue(schema.items, named, field)];
  switch ([schema.type].flat()[0]) {
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'object':
      return {};
    case 'null':
      return null;
    default:
      return schema.format === 'date-time' ? '2026-11-15T08:30:00.000Z' : (words[field] ?? '…');
  }
}

const words: Record<string, string> = {
  task_id: 'task_8ta8v2q3ra4acqps0bs2qqnr8c',
  file_name: 'novel.en.epub',
  source_lang: 'es',
  target_lang: 'en',
};
