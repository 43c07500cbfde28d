import { decodeUtf8 } from './decode-utf8.ts';
import type { FieldSet } from './field-set.ts';
import { JsonScan } from './json-scan.ts';
import { JsonText } from './json-text.ts';
import { uploadFault } from './upload-faults.ts';

/** The two fields that may be real objects in JSON; everywhere else they are JSON inside a string. */
const objectFields: ReadonlySet<string> = new Set(['glossary', 'metadata']);
/** `\u0041` takes six bytes for one. */
const longestEscape = 6;
const maxDepth = 8;
const brace = 0x7b;

/**
 * Reads a JSON body into the strings that a form would contain: `3000` becomes "3000", a glossary object becomes its
 * JSON text. Values are taken from the text and not from `JSON.parse`'s object, which would hide a
 * field sent twice and turn `1e3` or 9007199254740993 into other digits. Stops reading at the first member that is too
 * large. Throws BAD_REQUEST, PAYLOAD_TOO_LARGE.
 */
export async function readJsonFields(chunks: AsyncIterable<Uint8Array>, fields: FieldSet): Promise<void> {
  const limits = {
    depth: maxDepth,
    members: fields.maxFields,
    valueBytes: (name: string) => longestEscape * fields.maxBytes(name),
  };
  const scan = new JsonScan(limits, (name) => {
    const text = fields.openText(name);
    return text && new JsonText(text);
  });
  for await (const chunk of chunks) scan.push(chunk, (name) => fields.tooLarge(name));
  const body = scan.kept();
  assertJson(body, scan);
  let textIsRead = false;
  for (const { name, start, end } of scan.members) {
    if (name === 'file') {
      throw uploadFault('FILE_NEEDS_MULTIPART', 'A file can be sent as multipart/form-data only.', name);
    }
    const value = fieldText(name, decoded(body.subarray(start, end)));
    // A second one is refused by `add`, whatever it is.
    const isRead: boolean = name === 'text' && fields.text !== undefined && !textIsRead;
    textIsRead ||= isRead;
    if (!isRead) fields.add(name, value);
  }
}

/** The whole body without the content of its text, which has been read, and of a glossary object, which is parsed by itself. */
function assertJson(body: Buffer, scan: JsonScan): void {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { name, start, end } of scan.members) {
    if (name !== 'glossary' || body[start] !== brace) continue;
    parts.push(body.subarray(at, start + 1));
    at = end - 1;
  }
  parts.push(body.subarray(at));
  const parsed = parse(decoded(Buffer.concat(parts)).replace(/^\ufeff/, ''));
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw uploadFault('MALFORMED_BODY', 'The body must be one JSON object.');
  }
}

function fieldText(name: string, source: string): string {
  const first = source[0];
  if (first === '"') return parse(source) as string;
  if (source === 'null') throw uploadFault('INVALID_VALUE', `The field ${name} is null; leave it out instead.`, name);
  if ((first === '{' || first === '[') && !objectFields.has(name)) {
    throw uploadFault('INVALID_VALUE', `The field ${name} must be a string or a number.`, name);
  }
  return source;
}

function decoded(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw uploadFault('INVALID_ENCODING', 'The body is not UTF-8.');
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw uploadFault('MALFORMED_BODY', 'The body is not valid JSON.');
  }
}
