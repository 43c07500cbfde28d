/** Text as XML and HTML hold it: the one place that says which characters are written otherwise, and which are left out. */

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\u00a0': '&nbsp;',
  '\r': '&#13;',
  '\t': '&#9;',
  '\n': '&#10;',
};

/** Only the characters of a set that markup has another way to write. */
export function escapeCharacters(text: string, characters: RegExp): string {
  return text.replace(characters, (character) => entities[character] ?? character);
}

/** Text as XML or HTML content. Characters that XML 1.0 forbids are left out: no reader opens a file that has one. */
export function escapeText(text: string): string {
  return escapeCharacters(dropForbidden(text), /[&<>]/g);
}

export function escapeAttribute(value: string): string {
  return escapeCharacters(dropForbidden(value), /[&<>"]/g);
}

const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

export function dropForbidden(text: string): string {
  return text.replace(forbidden, '');
}
