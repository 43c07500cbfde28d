import { decodeUtf8 } from './decode-utf8.ts';
import type { FieldSet } from './field-set.ts';
import { uploadFault } from './upload-faults.ts';

/** The two fields that may be real objects in JSON; everywhere else they are JSON inside a string. */
const objectFields: ReadonlySet<string> = new Set(['glossary', 'metadata']);

/**
 * Reads a JSON body into the strings that a form would contain: `3000` becomes "3000", a glossary object becomes its
 * JSON text. Values are taken from the text and not from `JSON.parse`'s object, which would hide a
 * field sent twice and turn `1e3` or 9007199254740993 into other digits. Throws BAD_REQUEST, PAYLOAD_TOO_LARGE.
 */
export function readJsonFields(body: Uint8Array, fields: FieldSet): void {
  const text = decodeUtf8(body)?.replace(/^\ufeff/, '');
  if (text === undefined) throw uploadFault('INVALID_ENCODING', 'The body is not UTF-8.');
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw uploadFault('MALFORMED_BODY', 'The body is not valid JSON.');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw uploadFault('MALFORMED_BODY', 'The body must be one JSON object.');
  }
  for (const [name, source] of topLevelMembers(text)) {
    if (name === 'file') {
      throw uploadFault('FILE_NEEDS_MULTIPART', 'A file can be sent as multipart/form-data only.', name);
    }
    fields.add(name, fieldText(name, source));
  }
}

function fieldText(name: string, source: string): string {
  const first = source[0];
  if (first === '"') return JSON.parse(source);
  if (source === 'null') throw uploadFault('INVALID_VALUE', `The field ${name} is null; leave it out instead.`, name);
  if ((first === '{' || first === '[') && !objectFields.has(name)) {
    throw uploadFault('INVALID_VALUE', `The field ${name} must be a string or a number.`, name);
  }
  return source;
}

/** Names and raw values of an object's own members. `text` has been proven to be one valid JSON object. */
function* topLevelMembers(text: string): Generator<[name: string, source: string]> {
  let at = skip(text, text.indexOf('{') + 1);
  while (text[at] !== '}') {
    const nameEnd = endOfString(text, at);
    const name: string = JSON.parse(text.slice(at, nameEnd));
    const start = skip(text, skip(text, nameEnd) + 1);
    const end = endOfValue(text, start);
    yield [name, text.slice(start, end)];
    at = skip(text, end);
    if (text[at] === ',') at = skip(text, at + 1);
  }
}

function skip(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return at;
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  let at = start;
  if (first !== '{' && first !== '[') {
    while (at < text.length && !' \n\r\t,}'.includes(text[at] ?? '')) at += 1;
    return at;
  }
  let depth = 0;
  do {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') depth -= 1;
    at += 1;
  } while (depth > 0);
  return at;
}

/** After the closing quote: the first one with an even number of backslashes before it. */
function endOfString(text: string, start: number): number {
  let quote = start;
  for (;;) {
    quote = text.indexOf('"', quote + 1);
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
}
