import type { FieldSet } from './field-set.ts';
import { fileNeedsMultipart, uploadFault } from './upload-faults.ts';

/** The two fields that may be real objects in JSON; everywhere else they are JSON inside a string. */
const objectFields: ReadonlySet<string> = new Set(['glossary', 'metadata']);
/** Of a glossary term with its list of aliases, with room to spare. */
const maxDepth = 8;

/**
 * Reads a JSON body into the strings that a form would contain: `3000` becomes "3000", a glossary object becomes its JSON text.
 * Takes the values from the text: an object of `JSON.parse` would hide a field sent twice and turn `1e3` or 9007199254740993
 * into other digits. And two megabytes of small members would keep `JSON.parse` busy for half a second.
 * @throws BAD_REQUEST, PAYLOAD_TOO_LARGE
 */
export function readJsonFields(body: string, fields: FieldSet): void {
  for (const { name, value } of membersOf(body)) {
    if (name === 'file') throw fileNeedsMultipart();
    fields.add(name, fieldText(name, value));
  }
}

function fieldText(name: string, value: string): string {
  if (value.startsWith('{') || value.startsWith('[')) {
    if (objectFields.has(name)) return value;
    throw uploadFault('INVALID_VALUE', `The field ${name} must be a string or a number.`, name);
  }
  const parsed = parse(value);
  if (parsed === null) throw uploadFault('INVALID_VALUE', `The field ${name} is null; leave it out instead.`, name);
  return typeof parsed === 'string' ? parsed : value;
}

/** The members of the one object that the body is, as they stand there. The content of lists and objects is not looked at. */
function* membersOf(body: string): Generator<{ name: string; value: string }> {
  const json = body.replace(/^\ufeff/, '');
  const start = afterBlanks(json, 0);
  if (json[start] !== '{') throw uploadFault('MALFORMED_BODY', 'The body must be one JSON object.');
  let at = afterBlanks(json, start + 1);
  if (json[at] !== '}') {
    for (;;) {
      const nameEnd = endOfValue(json, at);
      const name = parse(json.slice(at, nameEnd));
      const colon = afterBlanks(json, nameEnd);
      if (typeof name !== 'string' || json[colon] !== ':') throw malformed();
      const valueStart = afterBlanks(json, colon + 1);
      const valueEnd = endOfValue(json, valueStart);
      yield { name, value: json.slice(valueStart, valueEnd) };
      at = afterBlanks(json, valueEnd);
      if (json[at] !== ',') break;
      at = afterBlanks(json, at + 1);
    }
  }
  if (json[at] !== '}' || afterBlanks(json, at + 1) !== json.length) throw malformed();
}

function afterBlanks(json: string, from: number): number {
  let at = from;
  while (json[at] === ' ' || json[at] === '\n' || json[at] === '\r' || json[at] === '\t') at++;
  return at;
}

/** Where the value ends that begins here: a string, a list, an object, or a word such as `3000` or `true`. */
function endOfValue(json: string, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at++) {
    const character = json[at];
    if (character === '"') at = endOfString(json, at) - 1;
    else if (character === '{' || character === '[') depth++;
    else if (depth === 0) return endOfWord(json, at);
    else if (character === '}' || character === ']') depth--;
    else continue;
    if (depth > maxDepth) throw uploadFault('MALFORMED_BODY', `The body has more than ${maxDepth} levels.`);
    if (depth === 0) return at + 1;
  }
  throw malformed();
}

function endOfString(json: string, from: number): number {
  for (let at = from + 1; at < json.length; at++) {
    if (json[at] === '\\') at++;
    else if (json[at] === '"') return at + 1;
  }
  throw malformed();
}

function endOfWord(json: string, from: number): number {
  let at = from;
  while (at < json.length && !' \n\r\t,:}]'.includes(json[at] ?? '')) at++;
  return at;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw malformed();
  }
}

function malformed(): Error {
  return uploadFault('MALFORMED_BODY', 'The body is not valid JSON.');
}
