/** Every deterministic check of a translation. Cheap, pure, and strict only where the text is certainly wrong. */
import { stripInlineTags } from '../../inline-tags.ts';
import { countScripts } from '../../language/scripts.ts';
import { splitSentences } from '../../language/sentences.ts';
import type { Unit } from '../plan/units.ts';
import { checkForm, checkPhrases } from './check-form.ts';
import { checkLanguage } from './check-language.ts';
import { checkLength, checkNeighbours } from './check-length.ts';
import { type ExpectedTerm, missedTerms } from './expected-term.ts';
import {
  type CheckContext,
  type CheckedUnit,
  type CheckInput,
  type Fault,
  type FaultKind,
  faultOf,
  isRejected,
  missing,
  weightOf,
} from './fault.ts';

/** Faults of one unit by itself. */
export function checkUnit(unit: CheckedUnit, context: CheckContext): Fault[] {
  const cleanTranslation = stripInlineTags(unit.translation).trim();
  if (cleanTranslation === '') return [missing];
  const input: CheckInput = { ...unit, ...context, cleanSource: stripInlineTags(unit.source).trim(), cleanTranslation };
  const single = [checkPhrases, checkLanguage, checkLength].flatMap((check) => check(input) ?? []);
  return [...single, ...checkForm(input), ...checkTerms(input)];
}

export function unitToCheck(
  { id, kind, text }: Unit,
  translation: string,
  terms: readonly ExpectedTerm[] = [],
): CheckedUnit {
  return { id, kind, source: text, translation, terms };
}

/** How bad a translation is by itself, its terms aside. */
export function weightAlone(unit: Unit, translation: string, context: CheckContext): number {
  return weightOf(checkUnit(unitToCheck(unit, translation), context));
}

/** Faults of each unit, also against its neighbours in the same answer. Units in reading order. */
export function checkUnits(units: readonly CheckedUnit[], context: CheckContext): Map<string, Fault[]> {
  const faults = new Map(units.map((unit) => [unit.id, checkUnit(unit, context)]));
  for (const [id, fault] of checkNeighbours(units, context)) {
    const unitFaults = faults.get(id);
    if (unitFaults?.every(({ kind }) => kind !== fault.kind)) unitFaults.push(fault);
  }
  addSuspects(units, faults);
  return faults;
}

/**
 * A line too short to be judged by itself shares the fate of its answer. An engine that leaves a page untranslated does so with
 * the heading above it. "Chapter 9" alone looks like a name that is the same in every language. Where half of an answer is no
 * translation, the rest is not believed either. An engine that follows an order in the text writes something of a plausible
 * length somewhere.
 */
function addSuspects(units: readonly CheckedUnit[], faults: ReadonlyMap<string, Fault[]>): void {
  const bad = [...faults.values()].filter((own) => own.some(({ kind }) => answerFaults.has(kind))).length;
  if (bad === 0) return;
  for (const { id, source } of units) {
    const unitFaults = faults.get(id);
    if (unitFaults === undefined || isRejected(unitFaults)) continue;
    if (bad * 2 < units.length && countScripts(stripInlineTags(source)).letters >= judgedLetters) continue;
    unitFaults.push(faultOf('suspect', 'Lines beside this one were not translated. Translate this one anew as well.'));
  }
}

/** Faults that an engine commits with its whole answer. */
const answerFaults: ReadonlySet<FaultKind> = new Set([
  'echo',
  'wrong-language',
  'refusal',
  'obeyed',
  'leak',
  'collapsed',
]);
/** From here on the checks see by themselves what language a line is in. */
const judgedLetters = 30;

function checkTerms(input: CheckInput): Fault[] {
  const missed = missedTerms(input.cleanTranslation, input.terms, input.targetLang);
  return missed.length === 0 ? [] : [faultOf('term-missed', termMessage(missed))];
}

export function termMessage(missed: readonly ExpectedTerm[]): string {
  const pairs = missed.map(({ source, target }) => `${source} → ${target}`).join('; ');
  return `These fixed names and terms were not used: ${pairs}. Use them, inflected as the grammar requires.`;
}

export interface EditedText {
  /** All three with inline tags. */
  source: string;
  was: string;
  is: string;
  expected: readonly ExpectedTerm[];
}

/** Beyond these a change is a new translation, or has lost something. */
const shortest = 0.8;
const longest = 1.25;

/**
 * Whether a changed translation may take the place of the one that stood: it says the same, and is no worse. The checks of a single
 * text (`checkUnit`) come on top.
 */
export function isSoundEdit({ source, was, is, expected }: EditedText, targetLang: string): boolean {
  const [old, edited] = [stripInlineTags(was), stripInlineTags(is)];
  if (edited.length < old.length * shortest || edited.length > old.length * longest) return false;
  const missed = (text: string): number => missedTerms(text, expected, targetLang).length;
  if (missed(edited) > missed(old)) return false;
  // Two sentences made one are refused with it: nobody can tell that from a sentence left out.
  if (sentences(edited, targetLang) < sentences(old, targetLang)) return false;
  return namesIn(stripInlineTags(source)).every((name) => !old.includes(name) || edited.includes(name));
}

function sentences(text: string, language: string): number {
  return splitSentences(text, language).length;
}

/** Words with a capital letter: where source and translation share one, it is a name. */
function namesIn(source: string): string[] {
  return source.match(/\p{Lu}[\p{L}\p{M}]{2,}/gu) ?? [];
}
