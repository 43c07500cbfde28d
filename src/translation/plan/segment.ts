/** Cuts a document into what an engine receives at once: whole paragraphs of one section. Pure and deterministic. */
import type { Block, Section } from '../../documents/document.ts';
import { stripInlineTags } from '../../inline-tags.ts';
import { estimateTokens } from '../../language/estimate-tokens.ts';
import { isUnspaced, script, scriptAt } from '../../language/scripts.ts';
import { hasTranslatableWords, maxUnitCharacters, type Unit, unitsOf } from './units.ts';

export interface Segment {
  index: number;
  /** Index of the section it lies in. */
  section: number;
  units: Unit[];
  /** Source text on both sides, without tags. */
  before: string[];
  after: string[];
  /** The translations of the direct neighbours, where they are remembered. */
  translatedBefore?: string[];
  translatedAfter?: string[];
  characters: number;
  load: number;
}

export interface KeptBlock {
  blockId: string;
  section: number;
  characters: number;
}

export interface SegmentPlan {
  segments: Segment[];
  /** Blocks without a word, which go into the translation as they are. */
  kept: KeptBlock[];
}

/** Part of segment keys: a new value when the context changes. */
export const segmentPolicyVersion = 1;

const maxUnits = 30;
/**
 * Load 1,000 is about 1,000 tokens, or 1,500 CJK characters (dense scripts pay less per character); 1,200 is 800 English words or
 * 1,800 CJK characters, beyond which quality falls. The opening is cut
 * finer, so that short books and previews spread over many calls at once; the cut depends only on the text before it, so
 * a full run has the same segments as the preview before it.
 */
const fullLoad = 1_200;
const ramp = [
  { until: 8_000, load: 300 },
  { until: 24_000, load: 600 },
];
/**
 * The end is cut finer too, the finer the less is left, so that all slots of an engine are busy until the end: with full segments the
 * last ones are translated while most slots are idle. Not by the real number of slots: a changed setting must not change the cut.
 */
const tail = { slots: 32, share: 0.5, load: 300 };

/** Up to this load a segment may grow that starts `done` into the book, with so much left. */
function maxLoad(done: number, left: number): number {
  const opening = ramp.find(({ until }) => done < until)?.load ?? fullLoad;
  return Math.min(opening, Math.max(tail.load, left / (tail.slots * tail.share)));
}

export interface PlanOptions {
  language: string;
  maxInputCharacters?: number;
  /** The translation of a block that is there already: segments are cut around it. */
  remembered?: (blockId: string) => string | undefined;
}

export function planSegments(sections: readonly Section[], options: PlanOptions): SegmentPlan {
  const planner = new SegmentPlanner(sections, options);
  planner.planRest();
  return planner.plan;
}

/** With so much left, the end of a book has no say in where its segments are cut. */
export const farFromTheEnd = fullLoad * tail.slots * tail.share;

/** Plans a book in one go, or its opening first: the segments are the same. */
export class SegmentPlanner {
  readonly plan: SegmentPlan = { segments: [], kept: [] };
  readonly #sections: readonly Section[];
  readonly #options: PlanOptions;
  readonly #measured = new Map<string, MeasuredUnit[]>();
  /** Sections that are planned, and the load in them. */
  #planned = 0;
  #done = 0;

  constructor(sections: readonly Section[], options: PlanOptions) {
    this.#sections = sections;
    this.#options = options;
  }

  /** The segments of sections at the front, when more than `farFromTheEnd` follows them. */
  planOpening(sections: number): Segment[] {
    return this.#planTo(sections, Number.POSITIVE_INFINITY);
  }

  /** The segments of all sections that are left. */
  planRest(): Segment[] {
    const left = this.#sections.slice(this.#planned).reduce((sum, { blocks }) => sum + this.loadOf(blocks), 0);
    return this.#planTo(this.#sections.length, left);
  }

  /** Whether so much is to be translated of some blocks. Measured only as far as it does not show by the mere length of the texts. */
  hasLoad(blocks: readonly Block[], load: number): boolean {
    const { remembered } = this.#options;
    const left = blocks.filter(({ id }) => remembered?.(id) === undefined);
    return left.reduce((sum, { text }) => sum + leastLoad(text), 0) >= load || this.loadOf(left) >= load;
  }

  /** Whether so much is certainly to be translated of some blocks, each text counted once, whatever is remembered. Looked for from their end. */
  hasDistinctLoad(blocks: readonly Block[], load: number): boolean {
    const seen = new Set<number>();
    let left = load;
    for (let at = blocks.length - 1; at >= 0 && left > 0; at--) {
      const { text = '' } = blocks[at] ?? {};
      const likeness = likenessOf(text);
      if (seen.has(likeness)) continue;
      seen.add(likeness);
      left -= leastLoad(text);
    }
    return left <= 0;
  }

  /** What is to be translated of some blocks. */
  loadOf(blocks: readonly Block[]): number {
    return blocks.reduce((sum, block) => sum + this.#unitsIn(block).reduce((own, { load }) => own + load, 0), 0);
  }

  #planTo(end: number, load: number): Segment[] {
    const before = this.plan.segments.length;
    const until = this.#done + load;
    for (; this.#planned < end; this.#planned++) {
      const section = this.#sections[this.#planned];
      if (section !== undefined) this.#planSection(this.#planned, section.blocks, until);
    }
    return this.plan.segments.slice(before);
  }

  /** @param until load of the book, as far as it is known */
  #planSection(section: number, blocks: readonly Block[], until: number): void {
    const { segments, kept } = this.plan;
    const maxCharacters = this.#options.maxInputCharacters ?? Number.POSITIVE_INFINITY;
    const texts: string[] = [];
    const translations = new Map<number, string>();
    const spans: { segment: number; from: number; to: number }[] = [];
    let current: { units: Unit[]; load: number; characters: number; from: number } | undefined;
    const close = (to: number): void => {
      if (current === undefined) return;
      const { units, load, characters, from } = current;
      segments.push({ index: segments.length, section, units, load, characters, before: [], after: [] });
      spans.push({ segment: segments.length - 1, from, to });
      this.#done += load;
      current = undefined;
    };
    for (const block of blocks) {
      if (!hasTranslatableWords(block.text)) {
        kept.push({ blockId: block.id, section, characters: block.characters });
        continue;
      }
      const translation = this.#options.remembered?.(block.id);
      if (translation !== undefined) {
        close(texts.length);
        translations.set(texts.length, stripInlineTags(translation));
        texts.push(stripInlineTags(block.text));
        continue;
      }
      for (const { unit, clean, load } of this.#unitsIn(block)) {
        const full =
          current !== undefined &&
          (current.load + load > maxLoad(this.#done, until - this.#done) ||
            current.units.length >= maxUnits ||
            current.characters + unit.characters > maxCharacters);
        if (full) close(texts.length);
        current ??= { units: [], load: 0, characters: 0, from: texts.length };
        current.units.push(unit);
        current.load += load;
        current.characters += unit.characters;
        texts.push(clean);
      }
    }
    close(texts.length);
    for (const { segment, from, to } of spans) {
      const target = segments[segment];
      if (target === undefined) continue;
      Object.assign(target, contextOf(texts, from, to), translatedContext(translations, from, to));
    }
  }

  /** None of a block without a word, or one that is remembered. */
  #unitsIn(block: Block): MeasuredUnit[] {
    const { language, remembered } = this.#options;
    const known = this.#measured.get(block.id);
    if (known !== undefined) return known;
    const isLeft = hasTranslatableWords(block.text) && remembered?.(block.id) === undefined;
    const units = (isLeft ? unitsOf(block, language) : []).map((unit) => {
      const clean = stripInlineTags(unit.text);
      return { unit, clean, load: loadOf(clean) };
    });
    this.#measured.set(block.id, units);
    return units;
  }
}

interface MeasuredUnit {
  unit: Unit;
  /** Its text without tags. */
  clean: string;
  load: number;
}

// Enough to resolve "she" and "the door" without paying for it twice: about a fifth of a full segment.
const contextBefore = { paragraphs: 3, characters: 240 };
const contextAfter = { paragraphs: 1, characters: 100 };

/** Context of the paragraphs `from`…`to` of a section. */
export function contextOf(texts: readonly string[], from: number, to: number): { before: string[]; after: string[] } {
  const before: string[] = [];
  let left = contextBefore.characters;
  for (let i = from - 1; i >= 0 && before.length < contextBefore.paragraphs && left > 0; i--) {
    const text = texts[i] ?? '';
    const tail = text.length <= left ? text : `…${text.slice(wordStart(text, text.length - left))}`;
    before.unshift(tail);
    left -= tail.length;
  }
  const after = texts
    .slice(to, to + contextAfter.paragraphs)
    .map((text) =>
      text.length <= contextAfter.characters ? text : `${text.slice(0, wordStart(text, contextAfter.characters))}…`,
    );
  return { before, after };
}

/** The neighbours as they were translated, cut as their sources are. */
function translatedContext(
  translations: ReadonlyMap<number, string>,
  from: number,
  to: number,
): Pick<Segment, 'translatedBefore' | 'translatedAfter'> {
  const [before, after] = [translations.get(from - 1), translations.get(to)];
  const [tail] = before === undefined ? [] : contextOf([before], 1, 1).before;
  const [head] = after === undefined ? [] : contextOf([after], 0, 0).after;
  return {
    ...(tail === undefined ? {} : { translatedBefore: [tail] }),
    ...(head === undefined ? {} : { translatedAfter: [head] }),
  };
}

/**
 * No script has more than four characters to a token, and what is written without spaces counts for two thirds of its tokens. White space at
 * the ends of a piece is not sent.
 */
function leastLoad(text: string): number {
  if (!hasTranslatableWords(text)) return 0;
  const plain = stripInlineTags(text);
  // Most paragraphs have nothing to collapse, and a look is ten times faster than a copy.
  const sent = (/\s\s/.test(plain) ? plain.replace(/\s+/g, ' ') : plain).trim().length;
  const pieces = Math.ceil(text.length / maxUnitCharacters) * 2;
  return Math.max(0, sent - pieces) / (writtenWithSpaces.test(text) ? 4 : 6);
}

/** The same for the same texts, and seldom for others: to compare whole paragraphs would take longer than to measure them. */
function likenessOf(text: string): number {
  let likeness = text.length;
  for (let i = 1; i <= 4; i++)
    likeness = (likeness * 31 + text.charCodeAt(Math.floor((text.length * i) / 5))) % 2 ** 40;
  return likeness;
}

/** Nothing but scripts before Thai, and punctuation. */
const writtenWithSpaces = /^[\u0000-\u0dff\u2000-\u206f]*$/;

function loadOf(text: string): number {
  const tokens = estimateTokens(text);
  const middle = scriptAt(text, text.length >> 1);
  return isUnspaced(middle) || isUnspaced(scriptAt(text, 0)) ? Math.ceil(tokens / 1.5) : tokens;
}

/** A place near `index` (before it) where a word starts; never inside a surrogate pair. */
function wordStart(text: string, index: number): number {
  const own = scriptAt(text, index);
  if (own !== script.none && !isUnspaced(own)) {
    const space = text.lastIndexOf(' ', index);
    if (space >= 0 && index - space < 30) return space + 1;
  }
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00 ? index - 1 : index;
}
