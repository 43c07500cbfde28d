/** An evaluation as a table and in sentences, for the terminal and the page alike. */
import { languageName } from '../language/languages.ts';
import type { Evaluation, JudgeFindings } from './evaluation.ts';

export function pairInWords({ source_lang, target_lang }: Evaluation['book']): string {
  return `${languageName(source_lang)} into ${languageName(target_lang)}`;
}

export function figureHeadings({ judge, signatures }: Evaluation): string[] {
  return [
    'ENGINE',
    ...(judge === null ? [] : ['WON', 'LOST', 'TIED']),
    ...(signatures === null ? [] : ['BLEU', 'CHRF2']),
    'FAILED',
    'FLAGGED',
    'TERMS',
    'SWITCHES (ADDRESS, TENSE)',
    'CALLS',
    'SECONDS',
    'COST',
  ];
}

/** An engine that failed says why, and its figures are what it took until then. */
export function engineRows({ engines, judge, signatures }: Evaluation): (string | number)[][] {
  return engines.map((each) => [
    each.failure === null ? each.engine : `${each.engine}: ${each.failure}`,
    ...(judge === null ? [] : [each.wins ?? 0, each.losses ?? 0, each.ties ?? 0]),
    ...(signatures === null ? [] : [(each.bleu ?? 0).toFixed(2), (each.chrf ?? 0).toFixed(2)]),
    `${each.failed_paragraphs} of ${each.paragraphs}`,
    each.flagged_paragraphs,
    `${(each.term_consistency * 100).toFixed(1)} %`,
    `${each.address_switches}, ${each.tense_switches}`,
    each.failed_calls === 0 ? each.calls : `${each.calls} (${each.failed_calls} failed)`,
    each.seconds.toFixed(1),
    each.cost === null ? 'no prices' : each.cost.toPrecision(3),
  ]);
}

export function judgeInWords({ engine, comparisons, changed_with_order, unread }: JudgeFindings): string {
  const unsure =
    changed_with_order === 0
      ? 'No verdict changed with the order.'
      : `${changed_with_order} changed with the order and count as ties.`;
  const silent = unread === 0 ? '' : ` ${unread} had no verdict and count as ties, too.`;
  return `${engine} judged ${comparisons} pairs of passages, each in both orders. ${unsure}${silent}`;
}
