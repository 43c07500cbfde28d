import { decodeUtf8 } from './decode-utf8.ts';
import type { FieldSet } from './field-set.ts';
import { uploadFault } from './upload-faults.ts';

/** Reads `name=value&name=value`. A stray percent sign is an error, not a literal. Throws BAD_REQUEST, PAYLOAD_TOO_LARGE. */
export function readUrlencodedFields(body: Uint8Array, fields: FieldSet): void {
  const text = decodeUtf8(body);
  if (text === undefined) throw uploadFault('INVALID_ENCODING', 'The body is not UTF-8.');
  for (let start = 0; start < text.length; ) {
    const ampersand = text.indexOf('&', start);
    const end = ampersand < 0 ? text.length : ampersand;
    if (end > start) readPair(text.slice(start, end), fields);
    start = end + 1;
  }
}

function readPair(pair: string, fields: FieldSet): void {
  const equals = pair.indexOf('=');
  const name = decode(equals < 0 ? pair : pair.slice(0, equals));
  if (name === undefined) throw uploadFault('INVALID_ENCODING', 'A field name is not percent-encoded UTF-8.');
  if (equals < 0) throw uploadFault('MALFORMED_BODY', 'A field of the form has no "=".');
  if (name === 'file') {
    throw uploadFault('FILE_NEEDS_MULTIPART', 'A file can be sent as multipart/form-data only.', name);
  }
  fields.admit(name);
  const value = decode(pair.slice(equals + 1));
  if (value === undefined) {
    throw uploadFault('INVALID_ENCODING', `The field ${name} is not percent-encoded UTF-8.`, name);
  }
  fields.add(name, value);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
