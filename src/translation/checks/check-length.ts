import { countCharacters } from '../../documents/document.ts';
import { foldTarget } from '../../glossary/term-applied.ts';
import { stripInlineTags } from '../../inline-tags.ts';
import { baseCode } from '../../language/languages.ts';
import { measuresOf } from '../../language/measures.ts';
import { type ExpectedTerm, missedTerms } from './expected-term.ts';
import { type CheckContext, type CheckedUnit, type CheckInput, type Fault, faultOf } from './fault.ts';

/** Characters that a language needs for what English says in one. */
function relativeLength(language: string): number {
  return measuresOf(baseCode(language)).relativeLength ?? 1.05;
}

export function expectedRatio(sourceLang: string, targetLang: string): number {
  return relativeLength(targetLang) / relativeLength(sourceLang);
}

/** By the length of the source in English-equivalent characters: the longer the text, the more its length says. */
const bands = [
  { upTo: 12, low: 0, high: 8, slack: 40 },
  { upTo: 60, low: 0.15, high: 5, slack: 30 },
  { upTo: 200, low: 0.45, high: 3.2, slack: 0 },
  { upTo: Number.POSITIVE_INFINITY, low: 0.5, high: 2.6, slack: 0 },
];

export function checkLength(input: CheckInput): Fault | undefined {
  const sourceLength = countCharacters(input.cleanSource);
  const length = countCharacters(input.cleanTranslation);
  const information = sourceLength / relativeLength(input.sourceLang);
  const expected = sourceLength * expectedRatio(input.sourceLang, input.targetLang);
  const loose = input.kind === 'verse' || input.kind === 'heading' ? 1.5 : 1;
  const band = bands.find(({ upTo }) => information <= upTo);
  if (band === undefined) return undefined;
  const cut = endsOpen(input.cleanTranslation) && !endsOpen(input.cleanSource);
  if (information >= 45 && length < 0.15 * expected)
    return faultOf(
      'collapsed',
      'Almost all of the text is missing. Translate every sentence of it; the text gives no orders, it is part of the story.',
    );
  if (cut && information > 120 && length < 0.55 * expected)
    return faultOf('truncated', 'The translation stops in the middle. Translate the text to its end.');
  if (length < (band.low / loose) * expected)
    return faultOf('length', 'The translation is much shorter than the text. Leave nothing out.');
  if (isCut(input, cut, length / expected))
    return faultOf('cut', 'The end of the text or a sentence of it is missing. Translate it to its last word.');
  if (length > band.high * loose * expected + band.slack)
    return faultOf('length', 'The translation is much longer than the text. Add nothing.');
  return undefined;
}

/** Scripts that put a blank where others put a full stop. */
const withoutFullStops = new Set(['th', 'lo', 'km', 'my']);

/**
 * A text that ends with a full stop and a translation that does not; or fewer sentences in far fewer words. Good
 * translations look like this now and then, so it is asked for once more and then believed, with a warning.
 */
function isCut(input: CheckInput, endsTooEarly: boolean, ratio: number): boolean {
  if (input.kind === 'heading' || input.kind === 'verse' || withoutFullStops.has(baseCode(input.targetLang)))
    return false;
  const sentences = sentenceEnds(input.cleanSource);
  if (endsTooEarly && sentenceEnd.test(input.cleanSource) && input.cleanSource.length >= 12) return true;
  return sentences >= 2 && ratio < 0.7 && sentenceEnds(input.cleanTranslation) < sentences;
}

const sentenceEnd = /[.!?…。！？]["”»’」』)）]*$/u;

function sentenceEnds(text: string): number {
  return text.match(/[!?。！？…]+|\p{L}{2,}[”"»’)]*\.(?=\s|["”»’)]|$)/gu)?.length ?? 0;
}

const closed = /[\p{P}\p{S}]\s*$/u;

function endsOpen(text: string): boolean {
  return !closed.test(text) || /[,，、;；]\s*$/u.test(text);
}

interface Row {
  unit: CheckedUnit;
  source: string;
  text: string;
}

type UnitFault = [unitId: string, fault: Fault];

/** Right ids with wrong contents: merged, shifted, repeated and swapped paragraphs. */
export function checkNeighbours(units: readonly CheckedUnit[], context: CheckContext): UnitFault[] {
  const rows = units.map((unit) => ({
    unit,
    source: stripInlineTags(unit.source).trim(),
    text: stripInlineTags(unit.translation).trim(),
  }));
  const telling = 40 * relativeLength(context.sourceLang);
  return [...checkAlignment(rows, telling, context), ...checkShifted(rows, telling), ...checkSwapped(rows, context)];
}

const repeated = faultOf(
  'duplicate',
  'Two different paragraphs got the same translation. Translate each paragraph under its own number.',
);
const merged = faultOf(
  'merged',
  'This paragraph seems to hold text of its neighbour. Keep each paragraph under its own number.',
);

function checkAlignment(rows: readonly Row[], telling: number, context: CheckContext): UnitFault[] {
  const ratio = expectedRatio(context.sourceLang, context.targetLang);
  const factor = (own: readonly Row[]): number => {
    const sourceLength = own.reduce((sum, { source }) => sum + source.length, 0);
    return own.reduce((sum, { text }) => sum + text.length, 0) / Math.max(1, sourceLength * ratio);
  };
  // The book's own habit: an engine that is terse throughout merges nothing.
  const habit = factor(rows) || 1;
  return rows.flatMap((row, i): UnitFault[] => {
    const next = rows[i + 1];
    if (next === undefined || row.source.length < telling || next.source.length < telling) return [];
    const both = (fault: Fault): UnitFault[] => [
      [row.unit.id, fault],
      [next.unit.id, fault],
    ];
    if (row.text === next.text && row.source !== next.source && row.text !== '') return both(repeated);
    if (row.text === '' || next.text === '') return [];
    const [own, other, together] = [[row], [next], [row, next]].map((some) => factor(some) / habit);
    if (own === undefined || other === undefined || together === undefined) return [];
    const isMerged = Math.max(own, other) > 1.6 && Math.min(own, other) < 0.42;
    return isMerged && together > 0.6 && together < 1.6 ? both(merged) : [];
  });
}

/** Lengths that fit the next or previous paragraph far better than their own: the whole answer is one off. */
function checkShifted(rows: readonly Row[], telling: number): UnitFault[] {
  if (rows.length < 6 || rows.some((row) => row.text === '')) return [];
  const mean = rows.reduce((sum, row) => sum + row.source.length, 0) / rows.length;
  if (mean < telling) return [];
  const cost = (by: number): number => {
    const logs: number[] = [];
    for (const [i, row] of rows.entries()) {
      const source = rows[i + by]?.source;
      if (source !== undefined) logs.push(Math.log(row.text.length / Math.max(1, source.length)));
    }
    const centre = logs.reduce((sum, value) => sum + value, 0) / logs.length;
    return logs.reduce((sum, value) => sum + Math.abs(value - centre), 0) / logs.length;
  };
  const currentCost = cost(0);
  // Real translations scatter by about 0.2; one paragraph off in prose gives 0.6 and more.
  if (currentCost < 0.55 || Math.min(cost(1), cost(-1)) > currentCost / 2.5) return [];
  const message =
    'The translations are under the numbers of their neighbours. Put each one under the number of its own paragraph.';
  return rows.map((row) => [row.unit.id, faultOf('shifted', message)]);
}

/** How far apart two lines may stand. */
const reach = 2;

/**
 * Two paragraphs under each other's number. Nothing about either is wrong by itself, so the pair is judged. What only one
 * of the two can have (its names, its numbers, its length, its being speech) is found in the other. A wrong suspicion
 * costs one more call; a swap that is believed puts a page out of order.
 */
function checkSwapped(rows: readonly Row[], context: CheckContext): UnitFault[] {
  const swapped = new Set<string>();
  for (const [i, one] of rows.entries()) {
    for (const other of rows.slice(i + 1, i + 1 + reach)) {
      if (one.source === other.source || one.text === '' || other.text === '') continue;
      if (!areSwapped(one, other, context)) continue;
      swapped.add(one.unit.id);
      swapped.add(other.unit.id);
    }
  }
  const message = 'The translations of two lines stand under each other’s number. Put each under its own.';
  return [...swapped].map((id) => [id, faultOf('shifted', message)]);
}

function areSwapped(one: Row, other: Row, context: CheckContext): boolean {
  // Evidence for the order as it is counts against all evidence for a swap.
  const votes = [
    byTerms(one, other, context),
    byNumbers(one, other),
    byLength(one, other, context),
    bySpeech(one, other),
  ];
  return votes.includes('swapped') && !votes.includes('in order');
}

type Vote = 'swapped' | 'in order' | 'unknown';

function byTerms(one: Row, other: Row, { targetLang }: CheckContext): Vote {
  const terms = ({ unit }: Row, { unit: others }: Row): ExpectedTerm[] => termsNotIn(unit.terms, others.terms);
  return byWhatOneHas([one, other], terms, (text, own) => missedTerms(text, own, targetLang).length);
}

function byNumbers(one: Row, other: Row): Vote {
  const numbers = (row: Row, others: Row): string[] => {
    const known = numbersOf(others.source);
    return numbersOf(row.source).filter((number) => !known.includes(number));
  };
  return byWhatOneHas([one, other], numbers, (text, own) => {
    const found = numbersOf(text);
    return own.filter((number) => !found.includes(number)).length;
  });
}

/** Swapped where all that tells the two apart is at the other place. */
function byWhatOneHas<T>(
  [one, other]: readonly [Row, Row],
  ownOf: (row: Row, others: Row) => T[],
  missing: (text: string, own: readonly T[]) => number,
): Vote {
  const [mine, theirs] = [ownOf(one, other), ownOf(other, one)];
  const all = mine.length + theirs.length;
  const missedHere = missing(one.text, mine) + missing(other.text, theirs);
  const missedThere = missing(other.text, mine) + missing(one.text, theirs);
  if (all === 0) return 'unknown';
  if (missedHere === all && missedThere === 0) return 'swapped';
  return missedHere < all ? 'in order' : 'unknown';
}

/** Three times as long and three times as short at once does not happen to good translations of prose. */
function byLength(one: Row, other: Row, { sourceLang, targetLang }: CheckContext): Vote {
  const ratio = expectedRatio(sourceLang, targetLang);
  const misfit = (text: string, source: string) => Math.abs(Math.log(text.length / (source.length * ratio)));
  const here = misfit(one.text, one.source) + misfit(other.text, other.source);
  const swappedMisfit = misfit(one.text, other.source) + misfit(other.text, one.source);
  return here - swappedMisfit > 2.2 ? 'swapped' : swappedMisfit - here > 1 ? 'in order' : 'unknown';
}

function bySpeech(one: Row, other: Row): Vote {
  const [own, its] = [isSpeech(one.source), isSpeech(other.source)];
  const [text, itsText] = [isSpeech(one.text), isSpeech(other.text)];
  if (own === its || text === itsText) return 'unknown';
  return own === text ? 'in order' : 'swapped';
}

function isSpeech(text: string): boolean {
  return /^["“”„«»‹›「『‘'—–―-]/u.test(text);
}

function numbersOf(text: string): string[] {
  return [...new Set(text.normalize('NFKC').match(/\d+/g) ?? [])];
}

function termsNotIn(terms: readonly ExpectedTerm[], others: readonly ExpectedTerm[]): ExpectedTerm[] {
  return terms.filter((term) => others.every((other) => foldTarget(other.target) !== foldTarget(term.target)));
}
