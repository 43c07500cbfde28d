/**
 * How answers are asked for, from the strictest to the simplest. A server that does not know a mode, or a model that cannot keep a form,
 * goes down this ladder. So a small local model finishes a novel too, one paragraph at a time.
 */
import type { JSONSchema7 } from 'ai';
import replies from '../prompts/replies.json' with { type: 'json' };

export const formatNames = ['schema', 'json', 'unforced', 'lines', 'paragraph'] as const;
export type FormatName = (typeof formatNames)[number];

export interface AnswerFormat {
  name: FormatName;
  /** What the server is told: JSON of a schema, any JSON, or nothing. */
  mode: 'schema' | 'json' | 'text';
  /** For an operator. */
  inWords: string;
  /** Where it goes when the server does not know the mode. */
  withoutMode?: FormatName;
  /** Where it goes when the model does not keep the form. */
  simpler?: FormatName;
  /** One text at a time, and nothing around it. */
  isPlain?: true;
}

export const answerFormats: Readonly<Record<FormatName, AnswerFormat>> = {
  schema: { name: 'schema', mode: 'schema', inWords: 'JSON with a schema', withoutMode: 'json', simpler: 'json' },
  json: {
    name: 'json',
    mode: 'json',
    inWords: 'JSON in the mode of the server',
    withoutMode: 'unforced',
    simpler: 'lines',
  },
  unforced: { name: 'unforced', mode: 'text', inWords: 'JSON, asked for in words only', simpler: 'lines' },
  lines: { name: 'lines', mode: 'text', inWords: 'numbered plain lines', simpler: 'paragraph' },
  paragraph: { name: 'paragraph', mode: 'text', inWords: 'one paragraph a call, in plain text', isPlain: true },
};

/** What is asked: each has a sentence for every format, and a schema. */
export type Question = 'translate' | 'extract' | 'candidates' | 'sheet' | 'edit' | 'compare';

/** The last sentence of the rules: how to reply. */
export function replyRule(format: AnswerFormat, question: Question): string {
  const { json, lines, paragraph = lines } = replyRules[question];
  if (format.isPlain) return paragraph;
  return format.name === 'lines' ? lines : json;
}

const replyRules: Readonly<Record<Question, { json: string; lines: string; paragraph?: string }>> = replies;

const text: JSONSchema7 = { type: 'string' };

function listOf(items: JSONSchema7): JSONSchema7 {
  return { type: 'array', items };
}

function oneOf(...words: string[]): JSONSchema7 {
  return { type: 'string', enum: words };
}

/** All of its fields are required, because some servers take no other schema; readers leave empty ones out. */
function objectOf(properties: Record<string, JSONSchema7>): JSONSchema7 {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** A list of strings that open with their number: two tokens per block, where an object keyed by number takes three. */
const linesSchema = objectOf({ t: listOf(text) });

export const answerSchemas: Readonly<Record<Question, JSONSchema7>> = {
  translate: linesSchema,
  edit: linesSchema,
  extract: objectOf({
    terms: listOf(
      objectOf({
        s: text,
        t: text,
        k: oneOf('person', 'place', 'organization', 'item', 'skill', 'species', 'title', 'concept', 'other'),
        g: oneOf('m', 'f', 'n', '?'),
        a: listOf(text),
      }),
    ),
    d: text,
  }),
  // A row per term, whose order the prompt tells: half the tokens of `extract`, and all of a book waits for these answers.
  candidates: objectOf({ terms: listOf(listOf(text)) }),
  sheet: objectOf({
    ...{ narrator: text, tense: text, register: text, spelling: text },
    address: listOf(objectOf({ from: text, to: text, form: text })),
    ...{ honorifics: text, titles: text, units: text, idioms: text, foreign_words: text },
    ...{ thoughts: text, letters: text, verse: text, sounds: text },
    voices: listOf(objectOf({ name: text, voice: text })),
    phrases: listOf(objectOf({ source: text, target: text })),
  }),
  compare: objectOf({ better: oneOf('A', 'B', 'equal') }),
};
