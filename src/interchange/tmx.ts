/** TMX 1.4b: the book as a translation memory. The number of an inline tag travels in `x`, as the format intends. */
import { type EditedUnit, exportedHash } from '../correction.ts';
import { tokenizeInline } from '../inline-tags.ts';
import {
  type AboutBook,
  type BookWriter,
  type InterchangeBook,
  type InterchangeUnit,
  writeWhole,
} from './interchange-book.ts';
import { type InterchangeLanguages, pairIn } from './interchange-languages.ts';
import { localName, readXml, xmlAttribute, xmlText } from './xml.ts';

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
const exportedType = 'x-exported';

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

/**
 * The units of a translation memory, for one pair of languages. Tools that know no inline elements write our tags as plain
 * text, which reads the same. @throws BAD_REQUEST
 */
export async function readTmx(xml: string, languages: InterchangeLanguages): Promise<EditedUnit[]> {
  const { targetLang } = languages;
  let { sourceLang } = languages;
  const units: EditedUnit[] = [];
  let texts: { lang: string; text: string }[] = [];
  let id: string | undefined;
  let exported: string | undefined;
  let inExported = false;
  let inSegment = false;
  /** Inside an inline element its own content is the foreign tool's code, which says nothing to us. */
  let code = 0;
  let fault = false;
  const open = new Map<string, string>();
  await readXml(xml, {
    open({ name, attributes }) {
      const element = localName(name);
      if (element === 'header' && /^[a-z]/i.test(attributes.srclang ?? '')) {
        sourceLang ??= attributes.srclang;
      } else if (element === 'tu') {
        id = attributes.tuid;
        texts = [];
        exported = undefined;
        fault = false;
      } else if (element === 'tuv') {
        texts.push({ lang: attributes['xml:lang'] ?? attributes.lang ?? '', text: '' });
        open.clear();
      } else if (element === 'prop' && attributes.type === exportedType) {
        inExported = true;
        exported = '';
      } else if (element === 'seg') {
        inSegment = true;
      } else if (inSegment) {
        code += 1;
        const lastText = texts.at(-1);
        const tag = lastText && code === 1 ? tagOf(element, attributes, open) : '';
        if (tag === undefined) fault = true;
        else if (lastText) lastText.text += tag;
      }
    },
    close(element) {
      if (element === 'seg') inSegment = false;
      else if (element === 'prop') inExported = false;
      else if (inSegment) code -= 1;
      else if (element === 'tu') {
        const { source, target } = pairIn(texts, { sourceLang, targetLang });
        if (!source || !target) units.push({ id, source: texts[0]?.text ?? '', target: '', fault: 'OTHER_LANGUAGES' });
        else
          units.push({
            ...{ id, source: source.text, target: target.text },
            ...(exported === undefined ? {} : { exported: exported.trim() }),
            ...(fault ? { fault: 'UNKNOWN_MARKUP' } : {}),
          });
      }
    },
    text(text) {
      if (inExported) exported += text;
      const lastText = texts.at(-1);
      if (inSegment && code === 0 && lastText) lastText.text += text;
    },
  });
  return units;
}

function tagOf(element: string, attributes: Record<string, string>, open: Map<string, string>): string | undefined {
  const { x = '', i = '', pos } = attributes;
  if (element === 'ept') {
    const number = open.get(i);
    return number === undefined ? undefined : `</${number}>`;
  }
  if (!/^\d{1,6}$/.test(x)) return undefined;
  if (element === 'bpt') {
    open.set(i, x);
    return `<${x}>`;
  }
  if (element === 'ph') return `<${x}/>`;
  if (element === 'it') return pos === 'end' ? `</${x}>` : `<${x}>`;
  return undefined;
}
