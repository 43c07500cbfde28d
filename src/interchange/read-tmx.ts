import type { EditedUnit } from './edited-unit.ts';
import { localName, readXml } from './read-xml.ts';

/**
 * The units of a translation memory, for one pair of languages. Tools that know no inline elements write our tags as plain
 * text, which reads the same. @throws BAD_REQUEST
 */
export async function readTmx(xml: string, sourceLang: string, targetLang: string): Promise<EditedUnit[]> {
  const units: EditedUnit[] = [];
  let texts: { lang: string; text: string }[] = [];
  let id: string | undefined;
  let inSegment = false;
  /** Inside an inline element its own content is the foreign tool's code, which says nothing to us. */
  let code = 0;
  let fault = false;
  const open = new Map<string, string>();
  await readXml(xml, {
    open({ name, attributes }) {
      const element = localName(name);
      if (element === 'tu') {
        id = attributes.tuid;
        texts = [];
        fault = false;
      } else if (element === 'tuv') {
        texts.push({ lang: attributes['xml:lang'] ?? attributes.lang ?? '', text: '' });
        open.clear();
      } else if (element === 'seg') {
        inSegment = true;
      } else if (inSegment) {
        code += 1;
        const own = texts.at(-1);
        const tag = own && code === 1 ? tagOf(element, attributes, open) : '';
        if (tag === undefined) fault = true;
        else if (own) own.text += tag;
      }
    },
    close(element) {
      if (element === 'seg') inSegment = false;
      else if (inSegment) code -= 1;
      else if (element === 'tu') {
        const source = texts.find(({ lang }) => sameLanguage(lang, sourceLang));
        const target = texts.find((each) => each !== source && sameLanguage(each.lang, targetLang));
        if (source && target)
          units.push({ id, source: source.text, target: target.text, ...(fault ? { fault: 'UNKNOWN_MARKUP' } : {}) });
      }
    },
    text(text) {
      const own = texts.at(-1);
      if (inSegment && code === 0 && own) own.text += text;
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

/** `en` and `en-US` are one language to a memory; tools write either. */
function sameLanguage(given: string, wanted: string): boolean {
  const primary = (tag: string) => tag.toLowerCase().split(/[-_]/)[0];
  return given.toLowerCase() === wanted.toLowerCase() || primary(given) === primary(wanted);
}
