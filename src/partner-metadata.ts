/** `metadata`: a few strings that a partner attaches to what it creates. */
import { badField } from './errors.ts';

const maxMetadataEntries = 16;
const maxMetadataKey = 64;
const maxMetadataValue = 512;

/** @throws BAD_REQUEST */
export function parseMetadata(raw: string | undefined): Record<string, string> {
  if (raw === undefined) return {};
  const fault = (message: string) => badField('BAD_METADATA', message, 'metadata');
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    throw fault('metadata is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw fault('metadata must be a JSON object.');
  const entries = Object.entries(value);
  if (entries.length > maxMetadataEntries) throw fault(`metadata has more than ${maxMetadataEntries} entries.`);
  for (const [key, entry] of entries) {
    if (key === '' || !isStorable(key, maxMetadataKey))
      throw fault(`metadata keys have 1 to ${maxMetadataKey} characters.`);
    if (typeof entry !== 'string' || !isStorable(entry, maxMetadataValue))
      throw fault(`metadata values are strings of at most ${maxMetadataValue} characters.`);
  }
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Characters are code points. Neither U+0000 nor half a surrogate pair can be stored in PostgreSQL. */
export function isStorable(value: string, maxCharacters: number): boolean {
  return value.isWellFormed() && !value.includes('\0') && [...value].length <= maxCharacters;
}
