/** Cuts a document into what an engine receives at once: whole paragraphs of one section. Pure and deterministic. */
import type { Block, Section } from '../../documents/document.ts';
import { stripInlineTags } from '../../inline-tags.ts';
import { estimateTokens } from '../../language/estimate-tokens.ts';
import { isUnspaced, script, scriptAt } from '../../language/scripts.ts';
import { hasTranslatableWords, type Unit, unitsOf } from './units.ts';

export interface Segment {
  index: number;
  /** Index of the section it lies in. */
  section: number;
  units: Unit[];
  /** The line of the book that its first unit is; its units are lines one after the other. */
  line: number;
  /** A scene begins with it: something without a word, such as an ornament, stands before it. */
  startsScene?: true;
  /** Source text on both sides, without tags. */
  before: string[];
  after: string[];
  /** The translation of the paragraph behind it, where it is remembered. */
  translatedAfter?: string[];
  characters: number;
  load: number;
}

/** A unit of the book that is translated, or a paragraph whose translation is remembered. */
export interface Line {
  section: number;
  /** The source, without tags. */
  text: string;
  translation?: string;
}

export interface KeptBlock {
  blockId: string;
  section: number;
  characters: number;
}

export interface SegmentPlan {
  segments: Segment[];
  /** Of the whole book. */
  lines: Line[];
  /** Blocks without a word, which go into the translation as they are. */
  kept: KeptBlock[];
}

/** Part of segment keys: a new value when the context changes. */
export const segmentPolicyVersion = 1;

const maxUnits = 30;
/**
 * Load 1,000 is about 1,000 tokens, or 1,500 CJK characters (dense scripts pay less per character). Load 1,200 is 800 English words
 * or 1,800 CJK characters, beyond which quality falls. The opening is cut finer, so that short books and previews are not left to a
 * few long calls. The cut depends only on the text before it, so a full run has the same segments as the preview before it.
 */
const fullLoad = 1_200;
const opening = { until: 24_000, load: 600 };
/**
 * The end is cut finer too, the finer the less is left, so that all slots of an engine are busy until the end. With full segments the
 * last ones are translated while most slots are idle. Not by the real number of slots: a changed setting must not change the cut.
 */
const tail = { slots: 32, share: 0.5, load: 300 };

/** Up to this load a segment may grow that starts `done` into the book, with so much left. */
function maxLoad(done: number, left: number): number {
  return done < opening.until
    ? opening.load
    : Math.min(fullLoad, Math.max(tail.load, left / (tail.slots * tail.share)));
}

export interface PlanOptions {
  language: string;
  maxInputCharacters?: number;
  /** The translation of a block that is there already: segments are cut around it. */
  remembered?: (blockId: string) => string | undefined;
}

export function planSegments(sections: readonly Section[], options: PlanOptions): SegmentPlan {
  return new SegmentPlanner(sections, options).plan;
}

class SegmentPlanner {
  readonly plan: SegmentPlan = { segments: [], lines: [], kept: [] };
  readonly #options: PlanOptions;
  /** What is to be translated of the book, and what of it is in segments. */
  readonly #load: number;
  #done = 0;

  constructor(sections: readonly Section[], options: PlanOptions) {
    this.#options = options;
    const measured = sections.map(({ blocks }) => blocks.map((block) => ({ block, units: this.#unitsIn(block) })));
    this.#load = measured.flat(2).reduce((sum, { units }) => sum + units.reduce((own, { load }) => own + load, 0), 0);
    for (const [section, blocks] of measured.entries()) this.#planSection(section, blocks);
    for (const segment of this.plan.segments)
      Object.assign(segment, contextAround(this.plan.lines, segment.line, segment.line + segment.units.length));
  }

  #planSection(section: number, blocks: readonly MeasuredBlock[]): void {
    const { segments, lines, kept } = this.plan;
    const maxCharacters = this.#options.maxInputCharacters ?? Number.POSITIVE_INFINITY;
    let current: Omit<Segment, 'index' | 'section' | 'before' | 'after'> | undefined;
    let isNewScene = false;
    const close = (): void => {
      if (current === undefined) return;
      segments.push({ index: segments.length, section, ...current, before: [], after: [] });
      this.#done += current.load;
      current = undefined;
    };
    for (const { block, units } of blocks) {
      if (!hasTranslatableWords(block.text)) {
        kept.push({ blockId: block.id, section, characters: block.characters });
        isNewScene = true;
        // A call that ends where a scene does needs least of what comes after it.
        if (current !== undefined && current.load >= this.#maxLoad() * worthACall) close();
        continue;
      }
      const translation = this.#options.remembered?.(block.id);
      if (translation !== undefined) {
        close();
        lines.push({ section, text: stripInlineTags(block.text), translation: stripInlineTags(translation) });
      }
      for (const { unit, clean, load } of units) {
        const full =
          current !== undefined &&
          (current.load + load > this.#maxLoad() ||
            current.units.length >= maxUnits ||
            current.characters + unit.characters > maxCharacters);
        if (full) close();
        if (current === undefined) {
          const scene = isNewScene ? { startsScene: true as const } : {};
          current = { units: [], load: 0, characters: 0, line: lines.length, ...scene };
        }
        current.units.push(unit);
        current.load += load;
        current.characters += unit.characters;
        lines.push({ section, text: clean });
        isNewScene = false;
      }
    }
    close();
  }

  #maxLoad(): number {
    return maxLoad(this.#done, this.#load - this.#done);
  }

  /** None of a block without a word, or one that is remembered. */
  #unitsIn(block: Block): MeasuredUnit[] {
    const { language, remembered } = this.#options;
    const isLeft = hasTranslatableWords(block.text) && remembered?.(block.id) === undefined;
    return (isLeft ? unitsOf(block, language) : []).map((unit) => {
      const clean = stripInlineTags(unit.text);
      return { unit, clean, load: loadOf(clean) };
    });
  }
}

/** Share of a full segment from which on it may end early. */
const worthACall = 0.25;

interface MeasuredBlock {
  block: Block;
  units: readonly MeasuredUnit[];
}

interface MeasuredUnit {
  unit: Unit;
  /** Its text without tags. */
  clean: string;
  load: number;
}

function loadOf(text: string): number {
  const tokens = estimateTokens(text);
  const middle = scriptAt(text, text.length >> 1);
  return isUnspaced(middle) || isUnspaced(scriptAt(text, 0)) ? Math.ceil(tokens / 1.5) : tokens;
}

/** What stands before it may be of an earlier chapter; the next chapter has no say in how this one ends. */
function contextAround(
  lines: readonly Line[],
  from: number,
  to: number,
): Pick<Segment, 'before' | 'after' | 'translatedAfter'> {
  const next = lines[to];
  const follows = next !== undefined && next.section === lines[to - 1]?.section ? next : undefined;
  return {
    before: endOf(lines.slice(Math.max(0, from - maxLinesBefore), from).map(({ text }) => text)),
    after: follows === undefined ? [] : [beginningOf(follows.text)],
    ...(follows?.translation === undefined ? {} : { translatedAfter: [beginningOf(follows.translation)] }),
  };
}

/** More than are ever told. */
const maxLinesBefore = 20;

// What a passage is told of the text around it, cut to length.

/** A scene's worth of speech: who is present, how they address each other, in what tense it is told. */
const charactersBefore = { atLeast: 600, atMost: 900 };
/** Source text shows where a passage stands, and nothing of how it is translated: less of it is enough. */
const sourceCharactersBefore = { atLeast: 240, atMost: 600 };
const charactersAfter = 100;

/** The end of what stands before, in the source. */
export function endOf(texts: readonly string[]): string[] {
  return tailOf(texts, sourceCharactersBefore);
}

/** Shorter lines, such as those of a list or a proclamation, need not show how the book is told. */
const proseCharacters = 120;

/** The end of what stands before, as it was translated. Behind lines that show no voice, the end of the last prose before them is told too. */
export function translatedEndOf(texts: readonly string[]): string[] {
  const isProse = (text: string): boolean => text.length >= proseCharacters;
  const tail = tailOf(texts, charactersBefore);
  if (tail.some(isProse)) return tail;
  const prose = texts.slice(0, texts.length - tail.length).findLast(isProse);
  if (prose === undefined) return tail;
  return [`…${prose.slice(wordStart(prose, Math.max(0, prose.length - 2 * proseCharacters)))} …`, ...tail];
}

/** Whole paragraphs from the end; one is cut where they would be too few characters without it. */
function tailOf(texts: readonly string[], { atLeast, atMost }: { atLeast: number; atMost: number }): string[] {
  const tail: string[] = [];
  let left = atMost;
  for (const text of texts.toReversed()) {
    if (text.length <= left) {
      tail.unshift(text);
      left -= text.length;
      continue;
    }
    if (atMost - left < atLeast) tail.unshift(`…${text.slice(wordStart(text, text.length - left))}`);
    break;
  }
  return tail;
}

export function beginningOf(text: string): string {
  return text.length <= charactersAfter ? text : `${text.slice(0, wordStart(text, charactersAfter))}…`;
}

/** A place near `index` (before it) where a word starts; never inside a surrogate pair. */
function wordStart(text: string, index: number): number {
  const scriptHere = scriptAt(text, index);
  if (scriptHere !== script.none && !isUnspaced(scriptHere)) {
    const space = text.lastIndexOf(' ', index);
    if (space >= 0 && index - space < 30) return space + 1;
  }
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00 ? index - 1 : index;
}
