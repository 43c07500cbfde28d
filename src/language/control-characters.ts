/**
 * Without characters that no book may hold: U+0000 and the other controls, the two noncharacters that XML forbids, and
 * halves of surrogate pairs. Line breaks and tabs stay.
 */
export function withoutControls(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])\p{Cc}|[\ufffe\uffff]/gu, '');
}
