/** What a series remembers of a book that is ordered, which is not charged. Runs in the sandbox, where the text is. */
import { type JudgedSource, openJudgedSource, type SourceCount, type SourceFile } from '../documents/source-jobs.ts';
import type { EngineCapabilities } from '../engines/engine.ts';
import { parseLanguage } from '../language/languages.ts';
import type { SeriesOrder } from '../tasks/series-order.ts';
import type { Grade } from '../translation/memory/choose.ts';
import { recallBlocks } from '../translation/memory/recall.ts';
import { reusedOf } from '../translation/memory/reused.ts';
import { type OrderedTerms, suppliedTerms, type TermsBefore } from '../translation/memory/series-terms.ts';
import { seriesKeys } from '../translation/prepare-book.ts';
import type { MemoryHost } from './task-memory.ts';

/** Everything but the text that decides what of it is remembered. */
export type RememberedOrder = TermsBefore & Omit<SeriesOrder['order'], 'orderedTermsJson'>;

export type CountJob = SeriesOrder['order'] & { source: SourceFile };

/** @throws BAD_REQUEST with a stable reason, PAYLOAD_TOO_LARGE */
export async function countRemembered(
  { source, orderedTermsJson, ...order }: CountJob,
  host: MemoryHost,
): Promise<SourceCount & { rememberedCharacters: number }> {
  const opened = await openJudgedSource(source);
  const { format, characters, totalCharacters } = opened.document;
  const terms = JSON.parse(orderedTermsJson) as OrderedTerms;
  const remembered = characters < 1 ? 0 : await rememberedCharacters(opened, { ...order, ...terms }, host);
  return { format, characters, totalCharacters, rememberedCharacters: remembered };
}

/** By the keys that a translation of the same source would use. */
export async function rememberedCharacters(
  { document, language }: JudgedSource,
  order: RememberedOrder,
  host: MemoryHost,
): Promise<number> {
  const { targetLang, style, context: background, strategy } = order;
  const inBook = document.declaredLanguage ? parseLanguage(document.declaredLanguage)?.tag : undefined;
  const sourceLang = order.sourceLang ?? language?.code ?? inBook ?? 'und';
  const accepted = acceptedGrades(order.acceptDraft, await host.enginesFor({ sourceLang, targetLang }));
  const supplied = suppliedTerms(JSON.parse(order.glossaryJson), strategy, order);
  const recalled = await recallBlocks({
    document,
    keys: seriesKeys({ document, sourceLang, targetLang, style, background }, supplied, order.found),
    find: (places) => host.findRemembered({ places, grades: [...accepted] }),
    targetLang,
    accepted,
    saved: [],
    save: async () => {},
  });
  return reusedOf(document, (blockId) => recalled.get(blockId)?.free === true).characters;
}

/** What a task may get of what is remembered. */
export function acceptedGrades(
  acceptDraft: boolean,
  { capabilities }: { capabilities: readonly EngineCapabilities[] },
): Set<Grade> {
  const accepted = new Set<Grade>(['translated', 'corrected']);
  if (acceptDraft) accepted.add('draft');
  // Invented words are good enough only for a partner who gets nothing else.
  if (capabilities[0]?.quality === 'sandbox') accepted.add('sandbox');
  return accepted;
}
