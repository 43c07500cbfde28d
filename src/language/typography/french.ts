/** French print: « », dashes that open speech, thin blanks before high marks, curly apostrophes, œ. */
import { pairQuotes, withEllipses } from './quotes.ts';

const blank = '\u00a0';
const thinBlank = '\u202f';
const tags = String.raw`(?:</?\d{1,6}/?>)*`;
const speechAtStart = new RegExp(String.raw`(^|\n)(${tags})[—–-]\s*(?=\S)`, 'gu');
const dashBetween = /(?<=[^\s\u00a0—])[ \u00a0]*[—–][ \u00a0]*(?=[^\s—])/gu;
const highMark = /(?<=[^\s\u00a0\u202f!?;:«(<[])[ \u00a0\u202f]*(?=[;!?])/gu;
const colon = /(?<=[^\s\u00a0:])[ \u00a0]*:(?=\s|$|[«—<])/gu;

/** Of plain quotation marks, dashes and apostrophes. */
export function typesetFrench(text: string): string {
  return withLigatures(pairQuotes(withEllipses(text), '«', '»'))
    .replace(dashBetween, ' — ')
    .replace(/ — (?=[,.;:!?…])/gu, ' —')
    .replace(speechAtStart, `$1$2—${blank}`)
    .replace(/«\s*/gu, `«${blank}`)
    .replace(/\s*»/gu, `${blank}»`)
    .replace(highMark, thinBlank)
    .replace(colon, `${blank}:`)
    .replace(/(^|[.!?…]\s|[«—]\s)A(?= \p{Ll})/gu, '$1À')
    .replaceAll("'", '’');
}

/** The words in which o and e are one letter; in "moelle" and "coexister" they are two. */
const ligatures =
  /(?<![\p{L}\p{M}])(?:b|c|ch|contrec|m|man|n|ranc|s|v|)oe(?=u(?:r|x|f|d|v|(?![\p{L}\p{M}]))|il(?:l|(?![\p{L}\p{M}])))/giu;

function withLigatures(text: string): string {
  return text.replace(ligatures, (found) => found.slice(0, -2) + (found.at(-2) === 'O' ? 'Œ' : 'œ'));
}
