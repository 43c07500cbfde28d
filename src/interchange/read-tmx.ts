import type { EditedUnit } from '../correction.ts';
import { type InterchangeLanguages, pairIn } from './interchange-languages.ts';
import { localName, readXml } from './read-xml.ts';
import { exportedType } from './write-tmx.ts';

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
