/** The last pass: paragraphs where a frozen term was missed are asked for once more, and scores are taken. */
import type { EngineCapabilities, TranslateRequest } from '../engines/engine.ts';
import { EngineError } from '../engines/engine-error.ts';
import { stripInlineTags } from '../inline-tags.ts';
import { withoutControls } from '../language/control-characters.ts';
import { mayStandForNames } from '../language/pronouns.ts';
import { projectTags } from '../project-tags.ts';
import { termMessage, weightAlone } from './checks/check.ts';
import { missedTerms, withoutLeftovers } from './checks/expected-term.ts';
import type { CheckContext } from './checks/fault.ts';
import { beginningOf, endOf } from './plan/segment.ts';
import type { Unit } from './plan/units.ts';
import { type SegmentWork, segmentRequest } from './segment-request.ts';
import type { ExpectedEntry } from './term-hints.ts';
import type { Translate } from './translate-segment.ts';

export interface TermScore {
  source: string;
  target: string;
  /** Paragraphs whose source has the term for certain. */
  paragraphs: number;
  /** Of them with the rendering in their translation. */
  applied: number;
  missedIn: string[];
}

export interface TranslatedUnit {
  unit: Unit;
  text: string;
  failed: boolean;
  expected: readonly ExpectedEntry[];
}

/**
 * Terms that a paragraph should have and does not. A person's name counts as there when a pronoun stands for it and the paragraph
 * before has the name. "He said nothing; he only looked at her." is good prose.
 */
function missedIn(
  text: string,
  before: string,
  expected: readonly ExpectedEntry[],
  targetLang: string,
): ExpectedEntry[] {
  const missed = missedTerms(stripInlineTags(text), expected, targetLang);
  const people = missed.filter(({ term }) => term.type === 'person');
  if (people.length === 0 || !mayStandForNames(stripInlineTags(text), targetLang)) return missed;
  const stillMissed = new Set(missedTerms(stripInlineTags(before), people, targetLang));
  return missed.filter((entry) => entry.term.type !== 'person' || stillMissed.has(entry));
}

/** Units that failed altogether are left out: they are in the coverage, not in the consistency. @param units in reading order */
export function scoreTerms(units: Iterable<TranslatedUnit>, targetLang: string, textBefore = ''): TermScore[] {
  const scores = new Map<string, TermScore>();
  let before = textBefore;
  for (const { unit, text, failed, expected } of units) {
    const last = before;
    before = text;
    if (failed || expected.length === 0) continue;
    const missed = new Set(missedIn(text, last, expected, targetLang));
    for (const entry of expected) {
      const { source, target } = entry.term;
      const score = scores.getOrInsert(source, { source, target, paragraphs: 0, applied: 0, missedIn: [] });
      score.paragraphs++;
      if (missed.has(entry)) score.missedIn.push(unit.blockId);
      else score.applied++;
    }
  }
  return [...scores.values()].sort((a, b) => b.paragraphs - a.paragraphs || (a.source < b.source ? -1 : 1));
}

/** What was missed travels with the whole request again. */
const maxFaultCharacters = 3_000;

/** @param textBefore the translation of the paragraph before the first one */
interface Revision {
  translate: Translate;
  checks: CheckContext;
  engine: EngineCapabilities;
  textBefore: string;
  signal: AbortSignal;
}

/**
 * New texts by place in `units` for those that a second asking improved: the missed terms are fewer, nothing else is
 * worse. Undefined when the engine could not be reached; the book is then delivered with what there is.
 */
export async function reviseTerms(
  work: SegmentWork,
  units: readonly TranslatedUnit[],
  { translate, checks, engine, textBefore: firstBefore, signal }: Revision,
): Promise<Record<string, string> | undefined> {
  const { sourceLang, targetLang } = checks;
  const revised: Record<string, string> = {};
  const wanting = units.flatMap((one, place) => {
    if (one.failed) return [];
    const textBefore = units[place - 1]?.text ?? firstBefore;
    // What is left of a term beside its rendering is taken out without asking.
    const text = withoutLeftovers(one.text, one.expected, targetLang);
    if (text !== one.text) revised[place] = text;
    const missed = missedIn(text, textBefore, one.expected, targetLang);
    return missed.length === 0 ? [] : [{ ...one, place, textBefore, text, missed }];
  });
  if (wanting.length === 0 || !engine.followsInstructions) return revised;
  const fault = wanting
    .map(({ missed }, i) => `Line ${i + 1}: ${termMessage(missed)}`)
    .join('\n')
    .slice(0, maxFaultCharacters);
  const asked = wanting.map(({ unit }) => unit);
  const standing = new Map(wanting.map(({ unit, text }) => [unit.id, text]));
  const { keepsInlineTags } = engine;
  const request = segmentRequest(work, asked, { sourceLang, targetLang, keepsInlineTags, fault, standing });
  const places = wanting.map(({ place }) => place);
  const context = { ...request.context, ...finishedNeighbours(work, units, places) };
  try {
    const { translations } = await translate({ ...request, context }, { engineIndex: 0, signal });
    for (const { unit, place, textBefore, text, expected, missed } of wanting) {
      const raw = withoutControls(translations.get(unit.id) ?? '').trim();
      if (raw === '') continue;
      const candidate = projectTags(unit.text, raw, targetLang).text;
      if (missedIn(candidate, textBefore, expected, targetLang).length >= missed.length) continue;
      if (weightAlone(unit, candidate, checks) <= weightAlone(unit, text, checks)) revised[place] = candidate;
    }
    return revised;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof EngineError)) throw error;
    const isFinal = error.kind === 'malformed' || error.kind === 'refused' || Object.keys(revised).length > 0;
    return isFinal ? revised : undefined;
  }
}

/** The translations on both sides of what is asked for: a revision has to fit between them. */
function finishedNeighbours(
  work: SegmentWork,
  units: readonly TranslatedUnit[],
  places: readonly number[],
): Pick<TranslateRequest['context'], 'translatedBefore' | 'translatedAfter'> {
  const finished = (one: TranslatedUnit | undefined): string[] =>
    one === undefined || one.failed ? [] : [stripInlineTags(one.text)];
  const [from, to] = [Math.min(...places), Math.max(...places)];
  const before = from === 0 ? [...(work.translatedBefore ?? [])] : endOf(finished(units[from - 1]));
  const after = to === units.length - 1 ? [...(work.translatedAfter ?? [])] : finished(units[to + 1]).map(beginningOf);
  return {
    ...(before.length === 0 ? {} : { translatedBefore: before }),
    ...(after.length === 0 ? {} : { translatedAfter: after }),
  };
}
