/**
 * How answers are asked for, from the strictest to the simplest. A server that does not know a mode, or a model that cannot keep a form,
 * goes down this ladder. So a small local model finishes a novel too, one paragraph at a time.
 */
import type { JSONSchema7 } from 'ai';

export const formatNames = ['schema', 'json', 'unforced', 'lines', 'paragraph'] as const;
export type FormatName = (typeof formatNames)[number];

export interface AnswerFormat {
  name: FormatName;
  /** What the server is told: JSON of a schema, any JSON, or nothing. */
  mode: 'schema' | 'json' | 'text';
  /** One text at a time, and nothing around it. */
  isPlain: boolean;
  /** For an operator. */
  inWords: string;
  /** Where it goes when the server does not know the mode. */
  withoutMode: FormatName | undefined;
  /** Where it goes when the model does not keep the form. */
  simpler: FormatName | undefined;
}

export const answerFormats: Readonly<Record<FormatName, AnswerFormat>> = {
  schema: {
    name: 'schema',
    mode: 'schema',
    isPlain: false,
    inWords: 'JSON with a schema',
    withoutMode: 'json',
    simpler: 'json',
  },
  json: {
    name: 'json',
    mode: 'json',
    isPlain: false,
    inWords: 'JSON in the mode of the server',
    withoutMode: 'unforced',
    simpler: 'lines',
  },
  unforced: {
    name: 'unforced',
    mode: 'text',
    isPlain: false,
    inWords: 'JSON, asked for in words only',
    withoutMode: undefined,
    simpler: 'lines',
  },
  lines: {
    name: 'lines',
    mode: 'text',
    isPlain: false,
    inWords: 'numbered plain lines',
    withoutMode: undefined,
    simpler: 'paragraph',
  },
  paragraph: {
    name: 'paragraph',
    mode: 'text',
    isPlain: true,
    inWords: 'one paragraph a call, in plain text',
    withoutMode: undefined,
    simpler: undefined,
  },
};

/** What is asked: each has a sentence for every format, and a schema. */
export type Question = 'translate' | 'extract' | 'candidates' | 'sheet' | 'edit' | 'compare';

/** The last sentence of the rules: how to reply. */
export function replyRule(format: AnswerFormat, question: Question): string {
  const { json, lines, paragraph = lines } = replyRules[question];
  if (format.isPlain) return paragraph;
  return format.name === 'lines' ? lines : json;
}

export function answerSchema(question: Question): JSONSchema7 {
  return schemas[question];
}

const termLines =
  'Reply only with lines, one for each term, and nothing else: term | rendering | kind | gender | other forms.';

const replyRules: Readonly<Record<Question, { json: string; lines: string; paragraph?: string }>> = {
  translate: {
    json: 'Reply only with JSON, line number first: {"t":["1 …","2 …"]}',
    lines: 'Reply only with the translated lines, each on one line behind its number and a space, and nothing else.',
    paragraph: 'Reply only with the translation of line 1, without its number and without a comment.',
  },
  edit: {
    json: 'Reply only with JSON, the changed lines and no others, whole and with their number first: {"t":["3 …","7 …"]}. Where nothing is to be changed: {"t":[]}',
    lines:
      'Reply only with the changed lines, each whole and on one line behind its number and a space, and nothing else. Where nothing is to be changed: none',
  },
  compare: {
    json: 'Reply only with JSON: {"better":"A"}, {"better":"B"} or {"better":"equal"}',
    lines: 'Reply only with one word: A, B or equal.',
  },
  extract: {
    json: 'Reply with JSON only: {"terms":[{"s":"","t":"","k":"","g":"","a":[]}],"d":""}.',
    lines: termLines,
  },
  candidates: { json: 'Reply with JSON only: {"terms":[["","","",""]]}.', lines: termLines },
  sheet: {
    json: 'Reply with JSON only: {"narrator":"","tense":"","register":"","spelling":"","address":[{"from":"","to":"","form":""}],"honorifics":"","titles":"","units":"","idioms":"","foreign_words":"","thoughts":"","letters":"","verse":"","sounds":"","voices":[{"name":"","voice":""}],"phrases":[{"source":"","target":""}]}.',
    lines: 'Reply only with lines, one for each field that is a text, as in "tense: …", and nothing else.',
  },
};

/** A list of strings that open with their number: two tokens per block, where an object keyed by number takes three. */
const translateSchema: JSONSchema7 = {
  type: 'object',
  properties: { t: { type: 'array', items: { type: 'string' } } },
  required: ['t'],
  additionalProperties: false,
};

const extractSchema: JSONSchema7 = {
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
const candidatesSchema: JSONSchema7 = {
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
const sheetSchema: JSONSchema7 = objectOf({
  ...{ narrator: text, tense: text, register: text, spelling: text },
  address: listOf('from', 'to', 'form'),
  ...{ honorifics: text, titles: text, units: text, idioms: text, foreign_words: text },
  ...{ thoughts: text, letters: text, verse: text, sounds: text },
  voices: listOf('name', 'voice'),
  phrases: listOf('source', 'target'),
});

const compareSchema: JSONSchema7 = objectOf({ better: { type: 'string', enum: ['A', 'B', 'equal'] } });

const schemas: Readonly<Record<Question, JSONSchema7>> = {
  translate: translateSchema,
  extract: extractSchema,
  candidates: candidatesSchema,
  sheet: sheetSchema,
  edit: translateSchema,
  compare: compareSchema,
};
