/**
 * Whether a capital is explained by its place. A sentence starts after its predecessor's end, and also after everything
 * that opens speech. These are quotation marks, brackets and dashes of every style (`--Et`, `— Да`, `-No`, `« Oui`),
 * colons and line breaks. Only blanks and commas leave a word inside its sentence.
 */
export function isInsideSentence(gap: string, isFirst: boolean): boolean {
  return !isFirst && /^[ \u00a0\u202f\t]*,?[ \u00a0\u202f\t]+$/u.test(gap);
}

/** Headings and lines of a contents page: short, and without the end of a sentence. Their capitals mean nothing. */
export function isHeading(paragraph: string): boolean {
  if (paragraph.length > 90) return false;
  // German closes speech with “ or «.
  return !/[.!?…。！？»«”“"'’‘)\]:;,—–-]\s*$/u.test(paragraph) || /(?:[.…·]\s*){3,}\d*\s*$/u.test(paragraph);
}
