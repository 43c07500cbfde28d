/** Which paragraph styles are headings. Style ids are localised (`berschrift1`), names and outline levels are not. */
import { childElements, elementAtPath, type MarkupElement } from '../markup/markup.ts';

/** Level 1 to 9 by style id, following `basedOn`. */
export function headingLevels(root: MarkupElement | undefined): ReadonlyMap<string, number> {
  const levels = new Map<string, number>();
  const styles = new Map<string, MarkupElement>();
  for (const style of root === undefined ? [] : childElements(root, 'w:style')) {
    const id = style.attributes['w:styleId'];
    if (style.attributes['w:type'] === 'paragraph' && id !== undefined) styles.set(id, style);
  }
  for (const id of styles.keys()) {
    const level = levelOf(id, styles);
    if (level !== undefined) levels.set(id, level);
  }
  return levels;
}

function levelOf(id: string, styles: ReadonlyMap<string, MarkupElement>): number | undefined {
  let at: string | undefined = id;
  // A chain of styles is a handful long; a circle in a damaged file must end too.
  for (let depth = 0; at !== undefined && depth < 20; depth++) {
    const style = styles.get(at);
    if (style === undefined) return undefined;
    const own = ownLevel(style);
    if (own !== undefined) return own === 0 ? undefined : own;
    at = childElements(style, 'w:basedOn')[0]?.attributes['w:val'];
  }
  return undefined;
}

/** 0 says that the style is body text whatever it is based on. */
function ownLevel(style: MarkupElement): number | undefined {
  const outline = elementAtPath(style, 'w:pPr', 'w:outlineLvl')?.attributes['w:val'];
  if (outline !== undefined) return Number(outline) < 9 ? Number(outline) + 1 : 0;
  const name = childElements(style, 'w:name')[0]?.attributes['w:val'] ?? '';
  const level = /^heading (\d)$/i.exec(name)?.[1];
  if (level !== undefined) return Number(level);
  return /^title$/i.test(name) ? 1 : undefined;
}
