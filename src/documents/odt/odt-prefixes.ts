import { dublinCore, type UsualPrefixes } from '../markup/usual-prefixes.ts';

const namespace = 'urn:oasis:names:tc:opendocument:xmlns';

export const odtPrefixes: UsualPrefixes = new Map([
  [`${namespace}:office:1.0`, 'office'],
  [`${namespace}:text:1.0`, 'text'],
  [`${namespace}:table:1.0`, 'table'],
  [`${namespace}:drawing:1.0`, 'draw'],
  [`${namespace}:style:1.0`, 'style'],
  [`${namespace}:meta:1.0`, 'meta'],
  [`${namespace}:xsl-fo-compatible:1.0`, 'fo'],
  [`${namespace}:svg-compatible:1.0`, 'svg'],
  ['http://www.w3.org/1999/xlink', 'xlink'],
  ...dublinCore,
]);
