import type { FieldSet } from './field-set.ts';
import { fileNeedsMultipart, uploadFault } from './upload-faults.ts';

/** Reads `name=value&name=value`. A stray percent sign is an error, not a literal. @throws BAD_REQUEST, PAYLOAD_TOO_LARGE */
export function readUrlencodedFields(body: string, fields: FieldSet): void {
  for (let at = 0; at < body.length; ) {
    const ampersand = body.indexOf('&', at);
    const end = ampersand < 0 ? body.length : ampersand;
    if (end > at) addPair(body.slice(at, end), fields);
    at = end + 1;
  }
}

function addPair(pair: string, fields: FieldSet): void {
  const equals = pair.indexOf('=');
  if (equals < 0) throw uploadFault('MALFORMED_BODY', 'A field of the form has no "=".');
  const name = decoded(pair.slice(0, equals));
  if (name === undefined) throw uploadFault('INVALID_ENCODING', 'A field name is not percent-encoded UTF-8.');
  if (name === 'file') throw fileNeedsMultipart();
  const value = decoded(pair.slice(equals + 1));
  if (value === undefined)
    throw uploadFault('INVALID_ENCODING', `The field ${name} is not percent-encoded UTF-8.`, name);
  fields.add(name, value);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
