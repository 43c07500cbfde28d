/** TMX 1.4b: the book as a translation memory. The number of an inline tag travels in `x`, as the format intends. */
import { exportedHash } from '../correction.ts';
import { tokenizeInline } from '../inline-tags.ts';
import {
  type AboutBook,
  type BookWriter,
  type InterchangeBook,
  type InterchangeUnit,
  writeWhole,
} from './interchange-book.ts';
import { xmlAttribute, xmlText } from './xml-text.ts';

export function writeTmx(book: InterchangeBook): string {
  return writeWhole(tmxWriter(book), book.chapters);
}

export function tmxWriter({ sourceLang, targetLang }: AboutBook): BookWriter {
  return {
    begin: () => `<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4">
  <header creationtool="Toledo" creationtoolversion="1" segtype="paragraph" o-tmf="toledo" adminlang="en" srclang="${xmlAttribute(sourceLang)}" datatype="plaintext"/>
  <body>
`,
    beginChapter: () => '',
    units: (units) =>
      units
        .filter(({ state }) => state !== 'untranslated')
        .map((unit) => `${entry(unit, sourceLang, targetLang)}\n`)
        .join(''),
    endChapter: () => '',
    end: () => '  </body>\n</tmx>\n',
  };
}

/** The kind of property that says what was exported. */
export const exportedType = 'x-exported';

function entry({ id, source, target }: InterchangeUnit, sourceLang: string, targetLang: string): string {
  return `    <tu tuid="${xmlAttribute(id)}">
      <prop type="${exportedType}">${exportedHash(target)}</prop>
      <tuv xml:lang="${xmlAttribute(sourceLang)}"><seg>${inlineElements(source)}</seg></tuv>
      <tuv xml:lang="${xmlAttribute(targetLang)}"><seg>${inlineElements(target)}</seg></tuv>
    </tu>`;
}

/** `i` pairs a beginning with its end inside one segment; a number that opens twice needs two of them. */
function inlineElements(text: string): string {
  let pair = 0;
  const open: { number: number; pair: number }[] = [];
  return tokenizeInline(text)
    .map((token) => {
      if (token.kind === 'text') return xmlText(token.text);
      const code = xmlText(token.raw);
      if (token.kind === 'standalone') return `<ph x="${token.number}">${code}</ph>`;
      if (token.kind === 'open') {
        pair += 1;
        open.push({ number: token.number, pair });
        return `<bpt i="${pair}" x="${token.number}">${code}</bpt>`;
      }
      const at = open.findLastIndex(({ number }) => number === token.number);
      const [begun] = at < 0 ? [] : open.splice(at, 1);
      return begun === undefined
        ? `<it pos="end" x="${token.number}">${code}</it>`
        : `<ept i="${begun.pair}">${code}</ept>`;
    })
    .join('');
}
