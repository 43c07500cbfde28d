/**
 * Text of a page that stands in no paragraph: what a picture shows (`alt`), hints (`title`), and the words of drawings.
 * Each is a block of its own next to the text around it; one that repeats another text of the page takes its translation.
 */
import { stripInlineTags } from '../../inline-tags.ts';
import { countCharacters } from '../document.ts';
import { elementsAround, elementsOf, type MarkupElement } from '../markup/markup.ts';
import type { SkipTally } from '../skip-tally.ts';
import { roleName, skipReasonOf } from './elements.ts';
import type { InnerPlace, PageBlock } from './inline.ts';
import { labelText } from './labels.ts';

/** A further place of a text that the page has already. */
export interface RepeatedText {
  place: InnerPlace;
  text: string;
}

export interface InnerTexts {
  blocks: PageBlock[];
  repeats: RepeatedText[];
  /** Characters of attributes, which are no text nodes. */
  attributeCharacters: number;
}

export function readInnerTexts(root: MarkupElement, blocks: readonly PageBlock[], skipped: SkipTally): InnerTexts {
  const result: InnerTexts = { blocks: [], repeats: [], attributeCharacters: 0 };
  const known = new Set(blocks.map((block) => labelText(block.plain)));
  const take = (raw: string, place: InnerPlace, element: MarkupElement) => {
    const text = labelText(raw);
    const characters = countCharacters(text);
    const lost = countCharacters(raw) - characters;
    if (text === '' || !/\p{L}/u.test(text)) skipped.add('separator', characters);
    // A name of a file is no description, and a literal tag could not be told from ours.
    else if (fileName.test(text) || stripInlineTags(text) !== text) skipped.add('metadata', characters);
    else if (known.has(text)) {
      skipped.add('repeats-heading', characters);
      result.repeats.push({ place, text });
    } else {
      known.add(text);
      result.blocks.push(innerBlock(text, characters, place, element));
    }
    skipped.add('whitespace', lost);
  };
  for (const element of elementsOf(root)) {
    for (const name of ['alt', 'title']) {
      const raw = element.attributes[name];
      if (raw === undefined || !hasHint(element, name)) continue;
      if (isSkipped(element) || drawingAround(element) !== undefined) continue;
      result.attributeCharacters += countCharacters(raw);
      take(raw, { kind: 'attribute', element, name }, element);
    }
    if (!drawnTexts.has(roleName(element))) continue;
    const drawing = drawingAround(element);
    if (drawing === undefined || !isShown(drawing)) continue;
    for (const child of element.children) {
      if (child.kind !== 'text' || child.text.trim() === '') continue;
      // It was counted as part of the drawing before.
      skipped.add('markup', -countCharacters(child.text));
      take(child.text, { kind: 'range', start: child.start, end: child.end }, drawing);
    }
  }
  return result;
}

const fileName = /^[\w.-]+\.(?:jpe?g|png|gif|svg|webp|bmp|tiff?)$|^(?:img|image|fig|pic)[\s_-]?\d+$/i;
const drawnTexts = new Set(['text', 'tspan', 'textPath', 'textpath', 'title', 'desc']);

/** The elements whose tag is not carried over cannot carry a hint either. */
function hasHint(element: MarkupElement, name: string): boolean {
  const role = roleName(element);
  if (name === 'alt') return role === 'img' || role === 'area' || role === 'input';
  return !['abbr', 'acronym', 'link', 'style', 'meta', 'ruby', 'rb', 'rt', 'rp'].includes(role);
}

/** The outermost drawing that the element is part of. */
function drawingAround(element: MarkupElement): MarkupElement | undefined {
  return [...elementsAround(element)].findLast((at) => roleName(at) === 'svg');
}

function isShown(drawing: MarkupElement): boolean {
  return drawing.attributes.translate !== 'no' && (drawing.parent === undefined || !isSkipped(drawing.parent));
}

function isSkipped(element: MarkupElement): boolean {
  return elementsAround(element).some((at) => skipReasonOf(at) !== undefined);
}

function innerBlock(text: string, characters: number, place: InnerPlace, element: MarkupElement): PageBlock {
  const { start } = element;
  // The hint of a paragraph comes before its text: a page that ends with the hint ends inside the paragraph.
  const isAround = place.kind === 'attribute' && element.closeStart > element.openEnd;
  const end = isAround ? element.openEnd : element.end;
  return {
    kind: 'caption',
    text,
    plain: text,
    characters,
    level: 0,
    tags: [],
    shells: [],
    start: end,
    end,
    indentStart: end,
    runStart: start,
    runEnd: end,
    lineBreak: undefined,
    container: isAround ? element : (element.parent ?? element),
    isWhole: false,
    place,
  };
}
