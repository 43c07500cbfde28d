import type { JSONSchema7 } from 'ai';

/** A list of strings that open with their number: two tokens per block, where an object keyed by number takes three. */
export const translateSchema: JSONSchema7 = {
  type: 'object',
  properties: { t: { type: 'array', items: { type: 'string' } } },
  required: ['t'],
  additionalProperties: false,
};

export const extractSchema: JSONSchema7 = {
  type: 'object',
  properties: {
    terms: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          s: { type: 'string' },
          t: { type: 'string' },
          k: {
            type: 'string',
            enum: ['person', 'place', 'organization', 'item', 'skill', 'species', 'title', 'concept', 'other'],
          },
          g: { type: 'string', enum: ['m', 'f', 'n', '?'] },
          a: { type: 'array', items: { type: 'string' } },
        },
        required: ['s', 't', 'k', 'g', 'a'],
        additionalProperties: false,
      },
    },
    d: { type: 'string' },
  },
  required: ['terms', 'd'],
  additionalProperties: false,
};

/** A row per term, whose order the prompt tells: half the tokens of `extractSchema`, and all of a book waits for these answers. */
export const candidatesSchema: JSONSchema7 = {
  type: 'object',
  properties: { terms: { type: 'array', items: { type: 'array', items: { type: 'string' } } } },
  required: ['terms'],
  additionalProperties: false,
};

const text: JSONSchema7 = { type: 'string' };

function listOf(...names: string[]): JSONSchema7 {
  return { type: 'array', items: objectOf(Object.fromEntries(names.map((name) => [name, text]))) };
}

function objectOf(properties: Record<string, JSONSchema7>): JSONSchema7 {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** All of its fields are required, because some servers take no other schema; empty ones are left out by the reader. */
export const sheetSchema: JSONSchema7 = objectOf({
  ...{ narrator: text, tense: text, register: text, spelling: text },
  address: listOf('from', 'to', 'form'),
  ...{ honorifics: text, titles: text, units: text, idioms: text, foreign_words: text },
  ...{ thoughts: text, letters: text, verse: text, sounds: text },
  voices: listOf('name', 'voice'),
  phrases: listOf('source', 'target'),
});

export const compareSchema: JSONSchema7 = objectOf({ better: { type: 'string', enum: ['A', 'B', 'equal'] } });
