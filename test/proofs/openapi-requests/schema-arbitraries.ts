/** Values that a JSON schema of the OpenAPI document accepts, and values that it refuses, for fast-check. */
import fc from 'fast-check';

export interface Schema {
  type?: string;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  properties?: Record<string, Schema>;
  required?: readonly string[];
}

/** What fits the schema. `known` gives fields a meaning that a schema cannot express, such as a language code. */
export function fitting(schema: Schema, known?: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  if (known) return known;
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.type === 'integer') return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 2 ** 31 });
  if (schema.type === 'object') return record(schema);
  const { minLength = 0, maxLength = 60, pattern } = schema;
  // The one pattern without a meaning of its own says "no U+0000", which no generator should have to invent.
  if (pattern !== undefined && !pattern.startsWith('^[^')) return fc.stringMatching(new RegExp(pattern));
  return fc
    .string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 60) })
    .filter((text) => text.length <= maxLength && !text.includes('\0'));
}

function record(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, each]) => [name, fitting(each)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...(schema.required ?? [])] });
}

/** What the schema refuses, as a query or a form would carry it; undefined when it refuses nothing. */
export function unfitting(schema: Schema): fc.Arbitrary<string> | undefined {
  if (schema.enum) {
    const { enum: allowed } = schema;
    return fc
      .oneof(fc.string({ minLength: 1 }), fc.constantFrom('TRANSLATION', 'null', '0', ' '))
      .filter((text) => !allowed.includes(text));
  }
  if (schema.type === 'integer') {
    const { minimum = 0, maximum = 2 ** 53 } = schema;
    return fc.oneof(
      fc.integer({ max: minimum - 1 }).map(String),
      fc.integer({ min: maximum + 1 }).map(String),
      fc.constantFrom('1.5', '1e', 'NaN', 'Infinity', 'ten', '١٢', '0x1G', '--1', '[]', '{}'),
    );
  }
  if (schema.pattern && !schema.pattern.startsWith('^[^')) {
    const pattern = new RegExp(schema.pattern);
    return fc
      .oneof(
        fc.string({ unit: 'binary-ascii', minLength: 1 }),
        fc.constantFrom('-1', '1.0', '1e3', ' 5', '5 ', '٣', '+7'),
      )
      .filter((text) => !pattern.test(text));
  }
  if (schema.maxLength !== undefined) {
    const { maxLength } = schema;
    return fc.string({ unit: fc.constantFrom('a', '%', '~'), minLength: maxLength + 1, maxLength: maxLength + 50 });
  }
  return undefined;
}
