/** From translated units back to the blocks of the document, with what the report has to say about them. */
import { blocksOf, type Document } from '../documents/document.ts';
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
  const all = tasks.flatMap(({ segment: { section } }, i) =>
    (units[i] ?? []).map(({ unit: { blockId, characters }, outcome }) => ({
      ...outcome,
      blockId,
      section,
      characters,
    })),
  );
  const failures = all.flatMap(({ failure, blockId, section, characters }) =>
    failure === undefined ? [] : [{ blockId, section, characters, reason: failure }],
  );
  const delivered = all.filter(({ failure }) => failure === undefined);
  const flagged = delivered.filter(({ faults }) => faults.length > 0);
  const strained = delivered
    .map(({ blockId, answers = 1, refused = false }) => ({ blockId, answers, refused }))
    .filter(({ answers, refused }) => answers > 1 || refused);
  const byBlock = Map.groupBy(units.flat(), ({ unit }) => unit.blockId);
  const texts = new Map(
    blocksOf(document).map(({ id, text }) => {
      const own = byBlock.get(id);
      return [id, own === undefined ? (recalled.get(id)?.text ?? text) : assembled(own, targetLang)];
    }),
  );
  return { texts, facts: { failures, flagged, strained } };
}

/** Changed texts by place take the place of those that stood. How many there are. */
export function putTexts(units: readonly BookUnit[], texts: Readonly<Record<string, string>>): number {
  const changed = units.flatMap((unit, place) => (texts[place] === undefined ? [] : [{ unit, text: texts[place] }]));
  for (const { unit, text } of changed) unit.text = text;
  return changed.length;
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
  const blocks = blocksOf(document);
  const found = blocks.filter(({ id, text: source }, i) => {
    const before = blocks[i - 1];
    const text = texts.get(id) ?? '';
    return before !== undefined && text.length >= 20 && texts.get(before.id) === text && before.text !== source;
  });
  const message = 'Neighbouring paragraphs with different sources have the same translation.';
  const ids = found.map(({ id }) => id);
  return ids.length === 0 ? [] : [warningOf('REPEATED_PARAGRAPH', message, ids)];
}
