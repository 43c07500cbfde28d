/** Text as XML may hold it: markup escaped, characters that XML 1.0 forbids left out, carriage returns kept. */
export function xmlText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[&<>\r]/g, (char) => entities[char] ?? char);
}

export function xmlAttribute(text: string): string {
  return xmlText(text).replace(/["\t\n]/g, (char) => entities[char] ?? char);
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
  '\t': '&#9;',
  '\n': '&#10;',
};
