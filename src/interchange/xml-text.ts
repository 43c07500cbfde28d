import { dropForbidden, escapeCharacters } from '../escape.ts';

/** Text as XML holds it. Carriage returns are kept: a reader would make line feeds of them. */
export function xmlText(text: string): string {
  return escapeCharacters(dropForbidden(text), /[&<>\r]/g);
}

export function xmlAttribute(text: string): string {
  return escapeCharacters(dropForbidden(text), /[&<>"\r\t\n]/g);
}
