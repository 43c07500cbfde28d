/** A unit is what carries an id in a request: a block, or a piece of a block too long to be translated at once. */
import { type Block, countCharacters } from '../../documents/document.ts';
import { stripInlineTags, tokenizeInline } from '../../inline-tags.ts';
import { splitText } from '../../language/sentences.ts';
import { hasWords } from '../../language/untranslatable.ts';

export interface Unit {
  /** The block's id, or `b7.2` for the second piece of b7. */
  id: string;
  blockId: string;
  kind: Block['kind'];
  /** What the engine gets: without surrounding white space and without tags that wrap the whole. */
  text: string;
  /** Put back around the translation, unchanged. */
  lead: string;
  trail: string;
  /** Code points of the source this unit stands for; over a block's units they add up to the block's. */
  characters: number;
  /** Tags that were opened in an earlier piece and stay open after this one: closed and reopened only for the engine. */
  reopened: number[];
  closed: number[];
}

/** Paragraphs up to this length are sent whole; single sentences lose too much context. */
export const maxUnitCharacters = 1_200;

export function unitsOf(block: Block, language: string): Unit[] {
  const pieces =
    block.text.length <= maxUnitCharacters ? [block.text] : splitText(block.text, language, maxUnitCharacters);
  const units: Unit[] = [];
  let open: number[] = [];
  for (const [i, piece] of pieces.entries()) {
    const reopened = open;
    open = stillOpen(open, piece);
    const { lead, text, trail } = peel(
      reopened.map((number) => `<${number}>`).join('') +
        piece +
        open
          .toReversed()
          .map((number) => `</${number}>`)
          .join(''),
      pieces.length === 1,
    );
    units.push({
      id: pieces.length === 1 ? block.id : `${block.id}.${i + 1}`,
      blockId: block.id,
      kind: block.kind,
      text,
      lead,
      trail,
      characters: countCharacters(stripInlineTags(piece)),
      reopened,
      closed: open,
    });
  }
  return units;
}

/**
 * The block's translation from its units' texts (in order); given the sources themselves it gives the source. Looks at
 * the ends of pieces only: a book in one line has thousands of them.
 */
export function assembleBlock(units: readonly Unit[], texts: readonly string[], targetLang: string): string {
  const pieces: string[] = [];
  let endsInSpace = false;
  for (const [i, unit] of units.entries()) {
    const inner = texts[i] ?? unit.text;
    const kept = inner === unit.text;
    let piece = unit.lead + inner + unit.trail;
    for (const number of unit.reopened) piece = piece.replace(`<${number}>`, '');
    for (const number of unit.closed) piece = removeLast(piece, `</${number}>`);
    if (i > 0 && !kept) piece = piece.trimStart();
    const untouched = kept && (i === 0 || texts[i - 1] === units[i - 1]?.text);
    if (i > 0 && !untouched && !endsInSpace && !/^\s/.test(piece) && !writtenWithoutSpaces.test(targetLang))
      pieces.push(' ');
    if (i < units.length - 1 && !kept) piece = withoutTrailingBlanks(piece);
    if (piece !== '') endsInSpace = /\s$/.test(piece.slice(-1));
    pieces.push(piece);
  }
  return pieces.join('');
}

function withoutTrailingBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\u3000'.includes(text[end - 1] ?? '')) end--;
  return text.slice(0, end);
}

/** Without a word there is nothing to translate: numbers, rules, ornaments, web addresses, formulas. */
export function hasTranslatableWords(text: string): boolean {
  return hasWords(stripInlineTags(text));
}

/** What goes behind the translation of a piece when the next one follows it in the same paragraph. */
export function spaceAfter(piece: string, sourceLang: string, targetLang: string): string {
  if (writtenWithoutSpaces.test(targetLang)) return '';
  return /\s$/.test(piece) || writtenWithoutSpaces.test(sourceLang) ? ' ' : '';
}

const writtenWithoutSpaces = /^(?:zh|ja|th|lo|km|my)\b/;

function removeLast(text: string, part: string): string {
  const at = text.lastIndexOf(part);
  return at < 0 ? text : text.slice(0, at) + text.slice(at + part.length);
}

/** No reader nests deeper; every tag that is carried on is written once more with each piece. */
const maxCarriedTags = 256;

function stillOpen(open: readonly number[], piece: string): number[] {
  const stack = [...open];
  if (!piece.includes('<')) return stack;
  for (const token of tokenizeInline(piece)) {
    if (token.kind === 'open') stack.push(token.number);
    else if (token.kind === 'close') {
      const at = stack.lastIndexOf(token.number);
      if (at >= 0) stack.splice(at, 1);
    }
  }
  return stack.slice(0, maxCarriedTags);
}

/** Takes off white space, and — for whole blocks — tags at the ends that the engine need not see. */
function peel(raw: string, tagsToo: boolean): { lead: string; text: string; trail: string } {
  let lead = '';
  let trail = '';
  let text = raw;
  for (;;) {
    const blank = text.length - text.trimStart().length;
    const start = blank > 0 ? text.slice(0, blank) : tagsToo ? /^<\d{1,6}\/>/.exec(text)?.[0] : undefined;
    if (start !== undefined) {
      lead += start;
      text = text.slice(start.length);
      continue;
    }
    const full = text.trimEnd().length;
    const end =
      full < text.length
        ? text.slice(full)
        : tagsToo && text.endsWith('/>')
          ? /<\d{1,6}\/>$/.exec(text)?.[0]
          : undefined;
    if (end !== undefined) {
      trail = end + trail;
      text = text.slice(0, -end.length);
      continue;
    }
    const wrap = tagsToo ? wrapOf(text) : undefined;
    if (wrap === undefined) return { lead, text, trail };
    lead += wrap.open;
    trail = wrap.close + trail;
    text = text.slice(wrap.open.length, text.length - wrap.close.length);
  }
}

function wrapOf(text: string): { open: string; close: string } | undefined {
  const number = /^<(\d{1,6})>/.exec(text)?.[1];
  if (number === undefined) return undefined;
  const [open, close] = [`<${number}>`, `</${number}>`];
  return text.endsWith(close) && text.indexOf(close) === text.length - close.length ? { open, close } : undefined;
}
