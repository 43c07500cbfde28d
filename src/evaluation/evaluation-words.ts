/** An evaluation as a table and in sentences, for the terminal and the page alike. */
import { languageName } from '../language/languages.ts';
import type { ComparedWith, EvaluatedEngine, Evaluation, JudgeFindings } from './evaluation.ts';

export function pairInWords({ source_lang, target_lang }: Evaluation['book']): string {
  return `${languageName(source_lang)} into ${languageName(target_lang)}`;
}

export function figureHeadings({ judge, signatures, compared_with, editor }: Evaluation): string[] {
  return [
    'ENGINE',
    ...(judge === null ? [] : ['WON', 'LOST', 'TIED']),
    ...(signatures === null ? [] : ['BLEU', 'CHRF2']),
    'FAILED',
    'FLAGGED',
    'TERMS',
    `SWITCHES (ADDRESS, TENSE${compared_with?.phrases === 'sheet' ? ', PHRASES' : ''})`,
    ...(editor ? ['EDITS TAKEN'] : []),
    'CALLS',
    'SECONDS',
    'COST',
  ];
}

/** An engine that failed says why, and its figures are what it took until then. */
export function engineRows({ engines, judge, signatures, compared_with, editor }: Evaluation): (string | number)[][] {
  return engines.map((each) => [
    each.failure === null ? each.engine : `${each.engine}: ${each.failure}`,
    ...(judge === null ? [] : [each.wins ?? 0, each.losses ?? 0, each.ties ?? 0]),
    ...(signatures === null ? [] : [(each.bleu ?? 0).toFixed(2), (each.chrf ?? 0).toFixed(2)]),
    `${each.failed_paragraphs} of ${each.paragraphs}`,
    each.flagged_paragraphs,
    `${(each.term_consistency * 100).toFixed(1)} %`,
    switchesOf(each, compared_with),
    ...(editor ? [each.editing ? `${each.editing.taken} of ${each.editing.offered}` : 'none'] : []),
    each.failed_calls === 0 ? each.calls : `${each.calls} (${each.failed_calls} failed)`,
    each.seconds.toFixed(1),
    each.cost === null ? 'no prices' : each.cost.toPrecision(3),
  ]);
}

function switchesOf(each: EvaluatedEngine, by: ComparedWith | undefined): string {
  const of = (switches = 0, paragraphs?: number): string =>
    paragraphs === undefined ? String(switches) : `${switches} of ${paragraphs}`;
  return [
    of(each.address_switches, each.address_paragraphs),
    of(each.tense_switches, each.tense_paragraphs),
    ...(by?.phrases === 'sheet' ? [of(each.phrase_switches, each.phrase_paragraphs)] : []),
  ].join(', ');
}

/** What stands below the figures: how they came about. */
export function remarks(evaluation: Evaluation): string[] {
  const { judge, signatures, editor } = evaluation;
  return [
    ...(judge === null ? [] : [judgeInWords(judge)]),
    ...comparisonInWords(evaluation),
    ...(editor ? [`${editor} has edited every translation, as in tasks; its calls and cost are in the figures.`] : []),
    ...(signatures === null ? [] : [`BLEU ${signatures.bleu}; chrF2 ${signatures.chrf}`]),
  ];
}

const compared = { address: 'form of address', tense: 'tense', phrases: 'recurring phrases' } as const;

/** With what each paragraph was compared, for its switches. */
function comparisonInWords({ sheet, compared_with }: Evaluation): string[] {
  if (compared_with === undefined) return [];
  const names = (by: 'sheet' | 'neighbours'): string =>
    (['address', 'tense', 'phrases'] as const)
      .filter((what) => compared_with[what] === by)
      .map((what) => compared[what])
      .join(', ');
  const [bySheet, byNeighbours] = [names('sheet'), names('neighbours')];
  const why = sheet ? 'the sheet does not decide it' : 'the book has no sheet';
  return [
    ...(sheet && bySheet
      ? [`Switches from the sheet, which ${sheet.written_by} wrote once for all engines: ${bySheet}.`]
      : []),
    ...(byNeighbours ? [`Switches from the paragraph before, as ${why}: ${byNeighbours}.`] : []),
  ];
}

function judgeInWords({ engine, comparisons, changed_with_order, unread }: JudgeFindings): string {
  const unsure =
    changed_with_order === 0
      ? 'No verdict changed with the order.'
      : `${changed_with_order} changed with the order and count as ties.`;
  const silent = unread === 0 ? '' : ` ${unread} had no verdict and count as ties, too.`;
  return `${engine} judged ${comparisons} pairs of passages, each in both orders. ${unsure}${silent}`;
}
