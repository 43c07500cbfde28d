/** The last pass: paragraphs where a frozen term was missed are asked for once more, and scores are taken. */
import { type EngineCapabilities, EngineError } from '../engines/engine.ts';
import { stripInlineTags } from '../inline-tags.ts';
import { withoutControls } from '../language/control-characters.ts';
import { projectTags } from '../project-tags.ts';
import { checkUnit, termMessage } from './checks/check.ts';
import type { CheckContext } from './checks/checked-unit.ts';
import { missedTerms, withoutLeftovers } from './checks/expected-term.ts';
import { weightOf } from './checks/fault.ts';
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

/** Units that failed altogether are left out: they are in the coverage, not in the consistency. */
export function scoreTerms(units: Iterable<TranslatedUnit>, targetLang: string): TermScore[] {
  const scores = new Map<string, TermScore>();
  for (const { unit, text, failed, expected } of units) {
    if (failed || expected.length === 0) continue;
    const missed = new Set(missedTerms(stripInlineTags(text), expected, targetLang));
    for (const entry of expected) {
      const { source, target } = entry.term;
      const score = scores.get(source) ?? { source, target, paragraphs: 0, applied: 0, missedIn: [] };
      scores.set(source, score);
      score.paragraphs++;
      if (missed.has(entry)) score.missedIn.push(unit.blockId);
      else score.applied++;
    }
  }
  return [...scores.values()].sort((a, b) => b.paragraphs - a.paragraphs || (a.source < b.source ? -1 : 1));
}

/** What was missed travels with the whole request again. */
const maxFaultCharacters = 3_000;

export interface RevisionTools {
  translate: Translate;
  engine: EngineCapabilities;
  checks: CheckContext;
  signal: AbortSignal;
}

/**
 * New texts by position in `units` for those that a second asking improved: the missed terms are fewer, nothing else is
 * worse. Undefined when the engine could not be reached; the book is then delivered with what there is.
 */
export async function reviseTerms(
  work: SegmentWork,
  units: readonly TranslatedUnit[],
  tools: RevisionTools,
): Promise<Map<string, string> | undefined> {
  const { checks } = tools;
  const revised = new Map<string, string>();
  const wanting = units.flatMap((one) => {
    if (one.failed) return [];
    // What is left of a term beside its rendering is taken out without asking.
    const text = withoutLeftovers(one.text, one.expected, checks.targetLang);
    if (text !== one.text) revised.set(one.unit.id, text);
    const missed = missedTerms(stripInlineTags(text), one.expected, checks.targetLang);
    return missed.length === 0 ? [] : [{ ...one, text, missed }];
  });
  if (wanting.length === 0 || !tools.engine.followsInstructions) return revised;
  const fault = wanting
    .map(({ missed }, i) => `Line ${i + 1}: ${termMessage(missed)}`)
    .join('\n')
    .slice(0, maxFaultCharacters);
  const request = segmentRequest(
    work,
    wanting.map(({ unit }) => unit),
    {
      sourceLang: checks.sourceLang,
      targetLang: checks.targetLang,
      keepsInlineTags: tools.engine.keepsInlineTags,
      fault,
    },
  );
  try {
    const { translations } = await tools.translate(request, { engineIndex: 0, signal: tools.signal });
    for (const { unit, text, expected, missed } of wanting) {
      const raw = withoutControls(translations.get(unit.id) ?? '').trim();
      if (raw === undefined || raw === '') continue;
      const candidate = projectTags(unit.text, raw, checks.targetLang).text;
      if (missedTerms(stripInlineTags(candidate), expected, checks.targetLang).length >= missed.length) continue;
      const base = { id: unit.id, kind: unit.kind, source: unit.text, terms: [] };
      const before = checkUnit({ ...base, translation: text }, checks);
      const after = checkUnit({ ...base, translation: candidate }, checks);
      if (weightOf(after) <= weightOf(before)) revised.set(unit.id, candidate);
    }
    return revised;
  } catch (error) {
    tools.signal.throwIfAborted();
    if (error instanceof EngineError) {
      const isFinal = error.kind === 'malformed' || error.kind === 'refused' || revised.size > 0;
      return isFinal ? revised : undefined;
    }
    throw error;
  }
}
