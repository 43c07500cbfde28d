/** Run and paragraph properties of translated text: language and direction, in the order the schema asks for. */
import { isRightToLeft, scriptOf } from '../../language/languages.ts';
import type { Side } from '../translation-mark.ts';

/** `style` is a `w:rPr` element or empty. */
export function styleForLanguage(style: string, lang: string): string {
  const inner = insideOf('w:rPr', style);
  const rtl = isRightToLeft(lang);
  let properties = inner.replace(/<w:rtl\b[^>]*\/>/g, '');
  if (rtl) properties = insertInOrder(properties, runOrder, '<w:rtl/>');
  properties = insertInOrder(properties, runOrder, `<w:lang ${languageAttribute(lang)}/>`);
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
  return `<w:rPr>${insertInOrder(bare, runOrder, `<w:color w:val="${colour}"/>`)}</w:rPr>`;
}

function insideOf(name: 'w:rPr' | 'w:pPr', element: string): string {
  return new RegExp(`^<${name}\\b[^>]*>([\\s\\S]*)</${name}>$`).exec(element)?.[1] ?? '';
}

/** The order that the schema asks for. What comes before the properties that are set here is left out. */
const runOrder = (
  'color spacing w kern position sz szCs highlight u effect bdr shd fitText vertAlign rtl cs em lang eastAsianLayout ' +
  'specVanish oMath'
).split(' ');
const paragraphOrder = (
  'pBdr shd tabs suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi ' +
  'adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc textDirection ' +
  'textAlignment textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange'
).split(' ');
const borderOrder = 'left bottom right between bar'.split(' ');

function insertInOrder(properties: string, order: readonly string[], added: string): string {
  const own = order.indexOf(/^<w:(\w+)/.exec(added)?.[1] ?? '');
  const places = order.slice(own + 1).map((name) => properties.search(new RegExp(`<w:${name}[\\s/>]`)));
  const at = Math.min(properties.length, ...places.filter((place) => place >= 0));
  return properties.slice(0, at) + added + properties.slice(at);
}

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
  return `<w:pPr>${insertInOrder(bare, paragraphOrder, rtl ? '<w:bidi/>' : '<w:bidi w:val="0"/>')}</w:pPr>`;
}

/** `properties` is a `w:pPr` element or empty. A copy on the page after its source would not be seen beside it. */
export function lineBeside(properties: string, side: Side): string {
  const inner = insideOf('w:pPr', properties).replace(/<w:pageBreakBefore\b[^>]*\/>/, '');
  const [whole = '', borders = ''] = /<w:pBdr\b[^>/]*>([\s\S]*?)<\/w:pBdr>|<w:pBdr\b[^>]*\/>/.exec(inner) ?? [];
  const others = borders.replace(new RegExp(`<w:${side}\\b[^>]*/>`), '');
  const line = `<w:${side} w:val="single" w:sz="12" w:space="4" w:color="auto"/>`;
  const all = insertInOrder(others, borderOrder, line);
  return `<w:pPr>${insertInOrder(inner.replace(whole, ''), paragraphOrder, `<w:pBdr>${all}</w:pBdr>`)}</w:pPr>`;
}
