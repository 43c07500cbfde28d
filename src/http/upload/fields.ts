import { isUtf8 } from 'node:buffer';
import { type AppError, badField } from '../../errors.ts';
import { fileNeedsMultipart, tooLarge, type UploadLimits } from './upload-limits.ts';

/** Collects the fields of one request, in any of its three forms, under the same rules. */
export class FieldSet {
  readonly values = new Map<string, string>();
  readonly #limits: UploadLimits;
  readonly #takesText: boolean;
  #text: Uint8Array | undefined;

  /** @param takesText `text` is a whole novel, and not a field like others */
  constructor(limits: UploadLimits, { takesText }: { takesText: boolean }) {
    this.#limits = limits;
    this.#takesText = takesText;
  }

  /** UTF-8. */
  get text(): Uint8Array | undefined {
    return this.#text;
  }

  /** Call this before reading the value. Throws BAD_REQUEST for a bad or repeated name. */
  admit(name: string): void {
    if (name === '' || name.length > 100 || !name.isWellFormed())
      throw badField('MALFORMED_BODY', 'A field has an empty or overlong name.');
    if (this.values.has(name) || (name === 'text' && this.#text !== undefined))
      throw badField('DUPLICATE_FIELD', `The field ${name} was sent twice.`, name);
    if (this.values.size >= this.#limits.parts)
      throw badField('TOO_MANY_PARTS', `The request has more than ${this.#limits.parts} fields.`);
  }

  /** Throws BAD_REQUEST or PAYLOAD_TOO_LARGE. */
  add(name: string, value: string): void {
    this.admit(name);
    if (!value.isWellFormed()) throw badField('INVALID_ENCODING', `The field ${name} is not valid Unicode.`, name);
    const bytes = Buffer.from(value);
    if (bytes.length > this.maxBytes(name)) throw this.tooLarge(name);
    if (this.#isText(name)) {
      this.#setText(bytes);
      return;
    }
    if (value.includes('\0')) throw badField('INVALID_VALUE', `The field ${name} holds a NUL character.`, name);
    this.values.set(name, value);
  }

  /** Throws BAD_REQUEST or PAYLOAD_TOO_LARGE. A wrong byte must never become U+FFFD in a partner's novel. */
  addBytes(name: string, bytes: Buffer): void {
    if (!isUtf8(bytes)) throw badField('INVALID_ENCODING', `The field ${name} is not UTF-8.`, name);
    if (this.#isText(name)) {
      this.admit(name);
      this.#setText(bytes);
    } else this.add(name, bytes.toString());
  }

  maxBytes(name: string): number {
    if (this.#isText(name)) return this.#limits.requestBytes;
    return name === 'glossary' ? this.#limits.glossaryBytes : this.#limits.fieldBytes;
  }

  tooLarge(name: string): AppError {
    return tooLarge(`The field ${name}`, { bytes: this.maxBytes(name) }, name);
  }

  #setText(bytes: Uint8Array): void {
    if (bytes.includes(0))
      throw badField('NOT_TEXT', 'The text holds the character U+0000, which no text may hold; leave it out.', 'text');
    const { textCharacters } = this.#limits;
    if (bytes.length > textCharacters && charactersIn(bytes) > textCharacters)
      throw tooLarge('The text', { characters: textCharacters }, 'text');
    this.#text = bytes;
  }

  #isText(name: string): boolean {
    return name === 'text' && this.#takesText;
  }
}

/** Every byte but those that continue a character begins one. */
function charactersIn(utf8: Uint8Array): number {
  let characters = 0;
  for (const byte of utf8) if ((byte & 0xc0) !== 0x80) characters += 1;
  return characters;
}

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
  for (const { name, value } of membersOf(body, fields)) {
    if (name === 'file') throw fileNeedsMultipart();
    fields.add(name, fieldText(name, value));
  }
}

function fieldText(name: string, value: string): string {
  if (value.startsWith('{') || value.startsWith('[')) {
    if (objectFields.has(name)) return value;
    throw badField('INVALID_VALUE', `The field ${name} must be a string or a number.`, name);
  }
  const parsed = parse(value);
  if (parsed === null) throw badField('INVALID_VALUE', `The field ${name} is null; leave it out instead.`, name);
  return typeof parsed === 'string' ? parsed : value;
}

/**
 * The members of the one object that the body is, as they stand there. The content of lists and objects is not looked at, and
 * none is read further than its field allows: 2 MB of small members took 11 ms each time.
 */
function* membersOf(body: string, fields: FieldSet): Generator<{ name: string; value: string }> {
  const json = body.replace(/^\ufeff/, '');
  const start = afterBlanks(json, 0);
  if (json[start] !== '{') throw badField('MALFORMED_BODY', 'The body must be one JSON object.');
  let at = afterBlanks(json, start + 1);
  if (json[at] !== '}') {
    for (;;) {
      const nameEnd = endOfValue(json, at);
      const name = parse(json.slice(at, nameEnd));
      const colon = afterBlanks(json, nameEnd);
      if (typeof name !== 'string' || json[colon] !== ':') throw malformed();
      const valueStart = afterBlanks(json, colon + 1);
      const valueEnd = endOfValue(json, valueStart, fields.maxBytes(name), () => fields.tooLarge(name));
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

/** Where the value ends that begins here: a string, a word such as `3000` or `true`, or a list or an object, which has a limit. */
function endOfValue(json: string, from: number, maxLength = Infinity, tooLong = malformed): number {
  let depth = 0;
  for (let at = from; at < json.length; at++) {
    if (at - from >= maxLength) throw tooLong();
    const character = json[at];
    if (character === '"') at = endOfString(json, at) - 1;
    else if (character === '{' || character === '[') depth++;
    else if (depth === 0) return endOfWord(json, at);
    else if (character === '}' || character === ']') depth--;
    else continue;
    if (depth > maxDepth) throw badField('MALFORMED_BODY', `The body has more than ${maxDepth} levels.`);
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
  return badField('MALFORMED_BODY', 'The body is not valid JSON.');
}

/** Reads `name=value&name=value`. A stray percent sign is an error, not a literal. @throws BAD_REQUEST, PAYLOAD_TOO_LARGE */
export function readUrlencodedFields(body: string, fields: FieldSet): void {
  for (const pair of body.split('&')) if (pair !== '') addPair(pair, fields);
}

function addPair(pair: string, fields: FieldSet): void {
  const equals = pair.indexOf('=');
  if (equals < 0) throw badField('MALFORMED_BODY', 'A field of the form has no "=".');
  const name = decoded(pair.slice(0, equals));
  if (name === undefined) throw badField('INVALID_ENCODING', 'A field name is not percent-encoded UTF-8.');
  if (name === 'file') throw fileNeedsMultipart();
  const value = decoded(pair.slice(equals + 1));
  if (value === undefined) throw badField('INVALID_ENCODING', `The field ${name} is not percent-encoded UTF-8.`, name);
  fields.add(name, value);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
