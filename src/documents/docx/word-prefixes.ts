import type { UsualPrefixes } from '../markup/usual-prefixes.ts';

/** Both editions of the standard: transitional, which nearly all programs write, and strict. */
export const wordPrefixes: UsualPrefixes = new Map([
  ['http://schemas.openxmlformats.org/wordprocessingml/2006/main', 'w'],
  ['http://purl.oclc.org/ooxml/wordprocessingml/main', 'w'],
  ['http://schemas.openxmlformats.org/markup-compatibility/2006', 'mc'],
]);
