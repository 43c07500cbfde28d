import { defaultLimits, type Limits } from '../../limits.ts';
import { nameOf, type Schema } from './openapi-types.ts';
import usualValues from './usual-values.json' with { type: 'json' };

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

/** What fields usually hold. */
function usualValue(field: string): string | number | undefined {
  const limit = field.replace(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase());
  return (usualValues as Record<string, string | number>)[field] ?? defaultLimits[limit as keyof Limits];
}
