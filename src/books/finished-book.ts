/** A book of which only a part is translated: what was finished, and the rest in the source language. */
import type { Document } from '../documents/document.ts';
import type { Term } from '../term.ts';
import { type AcceptedSegments, chapterBlocks, recalledOf } from '../translation/chapters.ts';
import type { CheckpointRecord } from '../translation/checkpoint.ts';
import type { BlockKey } from '../translation/memory/block-keys.ts';
import type { Grade } from '../translation/memory/choose.ts';
import { newMemories } from '../translation/memory/remember.ts';
import { reusedOf } from '../translation/memory/reused.ts';
import { buildReport, type ReportInput, warningOf } from '../translation/report.ts';
import { noRepairs, sumUsage } from '../translation/segment-outcome.ts';
import { type BookResult, leastQuality } from '../translation/translate-book.ts';

export interface FinishedBook {
  document: Document;
  sourceLang: string;
  targetLang: string;
  /** As they were planned and stored. */
  chapters: readonly Uint8Array[];
  records: readonly CheckpointRecord[];
  accepted: AcceptedSegments;
  /** What the series would remember its blocks by; none outside of series. */
  keys: readonly BlockKey[];
}

export function finishedBook(book: FinishedBook): BookResult {
  const { document, sourceLang, targetLang, chapters, records, accepted, keys } = book;
  const sectionOf = new Map(document.sections.flatMap(({ blocks }, i) => blocks.map(({ id }) => [id, i] as const)));
  const texts = new Map<string, string>();
  const keptBlocks: { blockId: string; section: number; characters: number }[] = [];
  const failures: ReportInput['failures'][number][] = [];
  const untranslated: { blockId: string; section: number; characters: number }[] = [];
  const grades = new Map<string, Grade>();
  for (const packed of chapters) {
    for (const block of chapterBlocks(packed, accepted, targetLang)) {
      const { id: blockId, characters, failure, failedCharacters } = block;
      const where = { blockId, section: sectionOf.get(blockId) ?? 0, characters };
      texts.set(blockId, block.translation ?? block.source);
      if (block.quality === 'draft' || block.quality === 'sandbox') grades.set(blockId, block.quality);
      if (block.translation === undefined) untranslated.push(where);
      else if (block.flags.includes('kept')) keptBlocks.push(where);
      else if (failure !== undefined) failures.push({ ...where, characters: failedCharacters, reason: failure });
    }
  }
  const outcomes = new Map(records.flatMap((each) => (each.kind === 'segment' ? [[each.key, each.outcome]] : [])));
  const recalled = recalledOf(records);
  const terms: readonly Term[] = records.flatMap((each) => (each.kind === 'frozen' ? [each.terms] : []))[0] ?? [];
  const sheet = records.find((each) => each.kind === 'sheet')?.sheet ?? undefined;
  const message = 'The task was cancelled: what was not finished by then is in the source language, uncharged.';
  const untranslatedIds = untranslated.map(({ blockId }) => blockId);
  const report = buildReport({
    quality: leastQuality(outcomes, recalled),
    sheet,
    document,
    sourceLang,
    targetLang,
    keptBlocks,
    reused: reusedOf(document, (blockId) => recalled.get(blockId)?.free === true),
    failures,
    untranslated,
    flagged: [],
    strained: [],
    terms,
    scores: [],
    repairs: { ...noRepairs(), revised: 0, reused: recalled.size },
    extraWarnings: [warningOf('CANCELLED', message, untranslatedIds)],
  });
  const unfinished = new Set([...failures, ...untranslated].map(({ blockId }) => blockId));
  const gradeOf = (blockId: string): Grade => grades.get(blockId) ?? 'translated';
  const memories = newMemories(keys, texts, recalled, unfinished, gradeOf);
  return { texts, terms, report, usage: sumUsage(outcomes), memories, paidPlaces: [], synopsis: '', sheet };
}
