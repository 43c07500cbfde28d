/** Run and paragraph properties of translated text: language and direction, in the order the schema asks for. */
import { isRightToLeft, scriptOf } from '../../language/languages.ts';
import type { Side } from '../translation-mark.ts';

/** `style` is a `w:rPr` element or empty. */
export function styleForLanguage(style: string, lang: string): string {
  const inner = insideOf('w:rPr', style);
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

/** `style` is a `w:rPr` element or empty. */
export function coloured(style: string, colour: string): string {
  const bare = insideOf('w:rPr', style).replace(/<w:color\b[^>]*\/>/, '');
  return `<w:rPr>${insertBefore(bare, afterColour, `<w:color w:val="${colour}"/>`)}</w:rPr>`;
}

function insideOf(name: 'w:rPr' | 'w:pPr', element: string): string {
  return new RegExp(`^<${name}\\b[^>]*>([\\s\\S]*)</${name}>$`).exec(element)?.[1] ?? '';
}

const afterRtl = ['w:cs', 'w:em', 'w:lang', 'w:eastAsianLayout', 'w:specVanish', 'w:oMath'];
const afterLang = ['w:eastAsianLayout', 'w:specVanish', 'w:oMath'];
const afterColour = [
  'w:spacing',
  'w:w',
  'w:kern',
  'w:position',
  'w:sz',
  'w:szCs',
  'w:highlight',
  'w:u',
  'w:effect',
  'w:bdr',
  'w:shd',
  'w:fitText',
  'w:vertAlign',
  'w:rtl',
  ...afterRtl,
];

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
  const bare = insideOf('w:pPr', properties).replace(/<w:bidi\b[^>]*\/>/, '');
  return `<w:pPr>${insertBefore(bare, afterBidi, rtl ? '<w:bidi/>' : '<w:bidi w:val="0"/>')}</w:pPr>`;
}

const afterBorders = [
  'w:shd',
  'w:tabs',
  'w:suppressAutoHyphens',
  'w:kinsoku',
  'w:wordWrap',
  'w:overflowPunct',
  'w:topLinePunct',
  'w:autoSpaceDE',
  'w:autoSpaceDN',
  'w:bidi',
  ...afterBidi,
];

/** `properties` is a `w:pPr` element or empty. A copy on the page after its source would not be seen beside it. */
export function lineBeside(properties: string, side: Side): string {
  const inner = insideOf('w:pPr', properties).replace(/<w:pageBreakBefore\b[^>]*\/>/, '');
  const [whole = '', borders = ''] = /<w:pBdr\b[^>/]*>([\s\S]*?)<\/w:pBdr>|<w:pBdr\b[^>]*\/>/.exec(inner) ?? [];
  const others = borders.replace(new RegExp(`<w:${side}\\b[^>]*/>`), '');
  const line = `<w:${side} w:val="single" w:sz="12" w:space="4" w:color="auto"/>`;
  const all = insertBefore(others, [...(side === 'left' ? ['w:bottom', 'w:right'] : []), 'w:between', 'w:bar'], line);
  return `<w:pPr>${insertBefore(inner.replace(whole, ''), afterBorders, `<w:pBdr>${all}</w:pBdr>`)}</w:pPr>`;
}
