/** From translated units back to the blocks of the document, with what the report has to say about them. */
import type { Document } from '../documents/document.ts';
import { Bug } from '../errors.ts';
import type { SegmentTask } from './book.ts';
import type { TranslatedUnit } from './consistency.ts';
import type { Recalled } from './memory/recall.ts';
import { assembleBlock } from './plan/units.ts';
import { type ReportInput, type ReportWarning, warningOf } from './report.ts';
import type { SegmentOutcome } from './segment-outcome.ts';

export interface BookUnit extends TranslatedUnit {
  outcome: SegmentOutcome['units'][number];
}

export function translatedUnits(task: SegmentTask, outcome: SegmentOutcome | undefined): BookUnit[] {
  return task.segment.units.map((unit, i) => {
    const unitOutcome = outcome?.units[i] ?? { text: unit.text, failure: 'failed_checks', faults: [] };
    return {
      unit,
      text: unitOutcome.text,
      failed: unitOutcome.failure !== undefined,
      expected: task.work.expected.get(unit.id) ?? [],
      outcome: unitOutcome,
    };
  });
}

export function assembleBook(
  document: Document,
  targetLang: string,
  tasks: readonly SegmentTask[],
  units: readonly BookUnit[][],
  recalled: Recalled,
): { texts: Map<string, string>; facts: Pick<ReportInput, 'failures' | 'flagged' | 'strained'> } {
  const failures: ReportInput['failures'][number][] = [];
  const flagged: ReportInput['flagged'][number][] = [];
  const strained: ReportInput['strained'][number][] = [];
  for (const [i, { segment }] of tasks.entries()) {
    for (const { unit, outcome } of units[i] ?? []) {
      const { blockId, characters } = unit;
      if (outcome.failure !== undefined)
        failures.push({ blockId, section: segment.section, characters, reason: outcome.failure });
      else if (outcome.faults.length > 0) flagged.push({ blockId, faults: outcome.faults });
      const { answers = 1, refused = false } = outcome;
      if (outcome.failure === undefined && (answers > 1 || refused)) strained.push({ blockId, answers, refused });
    }
  }
  const texts = new Map<string, string>();
  const inOrder = units.flat();
  let next = 0;
  for (const { blocks } of document.sections) {
    for (const block of blocks) {
      const from = next;
      while (inOrder[next]?.unit.blockId === block.id) next++;
      const blockUnits = inOrder.slice(from, next);
      const text =
        blockUnits.length === 0 ? (recalled.get(block.id)?.text ?? block.text) : assembled(blockUnits, targetLang);
      texts.set(block.id, text);
    }
  }
  if (next < inOrder.length) throw new Bug('units of a book are not in the order of its blocks');
  return { texts, facts: { failures, flagged, strained } };
}

function assembled(own: readonly BookUnit[], targetLang: string): string {
  return assembleBlock(
    own.map(({ unit }) => unit),
    own.map(({ text }) => text),
    targetLang,
  );
}

/** Neighbours with different sources and the same translation: a paragraph is there twice and another one is lost. */
export function duplicateWarnings(document: Document, texts: ReadonlyMap<string, string>): ReportWarning[] {
  const found: string[] = [];
  let before: { source: string; text: string } | undefined;
  for (const { blocks } of document.sections) {
    for (const block of blocks) {
      const text = texts.get(block.id) ?? '';
      if (before !== undefined && text.length >= 20 && before.text === text && before.source !== block.text)
        found.push(block.id);
      before = { source: block.text, text };
    }
  }
  return found.length === 0
    ? []
    : [
        warningOf(
          'REPEATED_PARAGRAPH',
          'Neighbouring paragraphs with different sources have the same translation.',
          found,
        ),
      ];
}
