/** Run and paragraph properties of translated text: language and direction, in the order the schema asks for. */
import { isRightToLeft, scriptOf } from '../../language/languages.ts';

/** `style` is a `w:rPr` element or empty. */
export function styleForLanguage(style: string, lang: string): string {
  const inner = /^<w:rPr\b[^>]*>([\s\S]*)<\/w:rPr>$/.exec(style)?.[1] ?? '';
  const rtl = isRightToLeft(lang);
  let properties = inner.replace(/<w:rtl\b[^>]*\/>/g, '');
  if (rtl) properties = insertBefore(properties, afterRtl, '<w:rtl/>');
  properties = insertBefore(properties, afterLang, `<w:lang ${languageAttribute(lang)}/>`);
  return `<w:rPr>${properties}</w:rPr>`;
}

function languageAttribute(lang: string): string {
  const script = scriptOf(lang);
  if (['Hans', 'Hant', 'Jpan', 'Kore'].includes(script)) return `w:eastAsia="${lang}"`;
  return isRightToLeft(lang) ? `w:bidi="${lang}"` : `w:val="${lang}"`;
}

const afterRtl = ['w:cs', 'w:em', 'w:lang', 'w:eastAsianLayout', 'w:specVanish', 'w:oMath'];
const afterLang = ['w:eastAsianLayout', 'w:specVanish', 'w:oMath'];

function insertBefore(properties: string, names: readonly string[], added: string): string {
  const places = names.map((name) => properties.search(new RegExp(`<${name}[\\s/>]`))).filter((place) => place >= 0);
  const at = places.length === 0 ? properties.length : Math.min(...places);
  return properties.slice(0, at) + added + properties.slice(at);
}

const afterBidi = [
  'w:adjustRightInd',
  'w:snapToGrid',
  'w:spacing',
  'w:ind',
  'w:contextualSpacing',
  'w:mirrorIndents',
  'w:suppressOverlap',
  'w:jc',
  'w:textDirection',
  'w:textAlignment',
  'w:textboxTightWrap',
  'w:outlineLvl',
  'w:divId',
  'w:cnfStyle',
  'w:rPr',
  'w:sectPr',
  'w:pPrChange',
];

/**
 * `properties` is a `w:pPr` element or empty; undefined when nothing changes. `turns`: the source runs the other way, so
 * that a style may say so and the paragraph has to contradict it.
 */
export function directParagraph(properties: string, rtl: boolean, turns: boolean): string | undefined {
  const own = /<w:bidi\b([^>]*)\/>/.exec(properties);
  const isOn = own !== null && !/w:val\s*=\s*["'](?:0|false|off)["']/.test(own[1] ?? '');
  if (own !== null && isOn === rtl) return undefined;
  if (own === null && !rtl && !turns) return undefined;
  const inner = /^<w:pPr\b[^>]*>([\s\S]*)<\/w:pPr>$/.exec(properties)?.[1] ?? '';
  const bare = inner.replace(/<w:bidi\b[^>]*\/>/, '');
  return `<w:pPr>${insertBefore(bare, afterBidi, rtl ? '<w:bidi/>' : '<w:bidi w:val="0"/>')}</w:pPr>`;
}
