/**
 * Without characters that no book may hold: U+0000 and the other controls (line breaks and tabs stay), the two
 * noncharacters that XML forbids, and halves of surrogate pairs.
 */
export function withoutControls(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])\p{Cc}|[\ufffe\uffff]/gu, '');
}
