import type { BookBrief, TermHint, TextBlockKind, TranslateRequest } from '../engines/engine.ts';
import { stripInlineTags } from '../inline-tags.ts';
import { beginningOf, endOf } from './plan/segment.ts';
import type { Unit } from './plan/units.ts';
import type { ExpectedEntry } from './term-hints.ts';

/** All that is known about a segment before it is translated. */
export interface SegmentWork {
  units: readonly Unit[];
  /** Source text around the segment. */
  before: readonly string[];
  after: readonly string[];
  /** The end of what stands before it as it was translated; absent where it is not yet. */
  translatedBefore?: readonly string[] | undefined;
  /** The translation of the paragraph behind it, where it is remembered. */
  translatedAfter?: readonly string[] | undefined;
  /** By unit id. */
  hints: ReadonlyMap<string, readonly TermHint[]>;
  expected: ReadonlyMap<string, readonly ExpectedEntry[]>;
  roster: readonly TermHint[];
  chapterDigest: string;
  /** One for the whole book. */
  brief: BookBrief;
}

export interface RequestOptions {
  sourceLang: string;
  targetLang: string;
  keepsInlineTags: boolean;
  /** False: nothing but the units and their terms. */
  withContext?: boolean;
  fault?: string;
  /** Translations that stand so far, by unit id: they are shown, to be changed as little as possible. */
  standing?: ReadonlyMap<string, string>;
}

/** The request for some of the segment's units; the others of the segment become their context. */
export function segmentRequest(work: SegmentWork, units: readonly Unit[], options: RequestOptions): TranslateRequest {
  const terms = new Map<string, TermHint>();
  for (const unit of units) for (const hint of work.hints.get(unit.id) ?? []) terms.set(hint.source, hint);
  const sent = (text: string): string => (options.keepsInlineTags ? text : stripInlineTags(text));
  return {
    sourceLang: options.sourceLang,
    targetLang: options.targetLang,
    blocks: units.map(({ id, text, kind }) => {
      const told = kinds[kind];
      const standing = options.standing?.get(id);
      return {
        id,
        text: sent(text),
        ...(told === undefined ? {} : { kind: told }),
        terms: (work.hints.get(id) ?? []).map(({ source }) => source),
        ...(standing === undefined ? {} : { standing: sent(standing) }),
      };
    }),
    terms: [...terms.values()],
    ...(options.withContext === false
      ? { roster: [], context: { before: [], after: [] }, brief: wishesOf(work.brief) }
      : {
          roster: work.roster.filter((hint) => !terms.has(hint.source)),
          context: contextOfUnits(work, units),
          brief: work.brief,
        }),
    ...(options.fault === undefined ? {} : { fault: options.fault }),
  };
}

/** Without what was taken from the book: a word of it may be what a provider refuses. */
function wishesOf({ style }: BookBrief): BookBrief {
  return { core: [], ...(style === undefined ? {} : { style }) };
}

const kinds: Readonly<Record<Unit['kind'], TextBlockKind | undefined>> = {
  heading: 'heading',
  label: 'heading',
  verse: 'verse',
  note: 'note',
  caption: 'caption',
  cell: 'caption',
  'list-item': undefined,
  paragraph: undefined,
};

/** What follows only where the units asked for reach the end of the segment. */
function contextOfUnits(work: SegmentWork, units: readonly Unit[]): TranslateRequest['context'] {
  const { translatedBefore, translatedAfter, chapterDigest } = work;
  return {
    ...contextFor(work, units),
    ...(translatedBefore === undefined ? {} : { translatedBefore }),
    ...(translatedAfter === undefined || units.at(-1) !== work.units.at(-1) ? {} : { translatedAfter }),
    ...(chapterDigest === '' ? {} : { chapterDigest }),
  };
}

function contextFor(
  work: SegmentWork,
  units: readonly Unit[],
): { before: readonly string[]; after: readonly string[] } {
  if (units.length === work.units.length) return { before: work.before, after: work.after };
  const segmentTexts = work.units.map((unit) => stripInlineTags(unit.text));
  const positions = units.map((unit) => work.units.indexOf(unit));
  const [from, to] = [Math.min(...positions), Math.max(...positions) + 1];
  const next = segmentTexts[to];
  return {
    before: endOf([...work.before, ...segmentTexts.slice(0, from)]),
    after: next === undefined ? work.after : [beginningOf(next)],
  };
}
