/** An editor's paragraphs come back: from now on the series delivers them, whatever its terms or engines say. */
import { countCharacters } from '../documents/document.ts';
import { inlineTagsNest, inlineTagsOf, stripInlineTags } from '../inline-tags.ts';
import type { Db, Trx } from '../platform/postgres.ts';
import { anyContext, contextOfNeighbours, correctedVariant, textKey } from '../translation/memory/block-keys.ts';
import type { NewMemory } from '../translation/memory/remember.ts';
import { findBlocks, forgetCorrections, openMemory, type RememberedRow, rememberBlocks } from './memory-store.ts';
import { seriesNotFound } from './series.ts';
import { findSeries, type SeriesCaller } from './series-store.ts';

export interface Correction {
  /** The paragraph of the source, with its inline tags or without any. */
  source: string;
  target: string;
  /** The paragraphs beside it, where the file has them: then the correction is for this place. */
  neighbours?: { before: string | undefined; after: string | undefined } | undefined;
}

export const refusalReasons = [
  'EMPTY_TARGET',
  'BAD_TEXT',
  'DAMAGED_TAGS',
  'CORRECTED_TWICE',
  'UNKNOWN_SOURCE',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

export interface Refusal {
  /** Its place in what was sent, from 0. */
  index: number;
  reason: RefusalReason;
}

export interface CorrectionResult {
  taken: number;
  unchanged: number;
  refused: Refusal[];
}

const correctionsPerQuestion = 500;

/** What is wrong with one correction does not concern the others. @throws NOT_FOUND */
export async function correctSeries(
  db: Db,
  caller: SeriesCaller,
  seriesId: string,
  corrections: readonly Correction[],
): Promise<CorrectionResult> {
  await findSeries(db, caller, seriesId);
  const { good, refused } = examine(corrections);
  const result: CorrectionResult = { taken: 0, unchanged: corrections.length - good.length - refused.length, refused };
  await db.transaction().execute(async (trx) => {
    const memoryId = await openMemory(trx, { ...caller, seriesId });
    if (memoryId === undefined) throw seriesNotFound();
    for (let at = 0; at < good.length; at += correctionsPerQuestion)
      await takePart(trx, caller.accountId, memoryId, good.slice(at, at + correctionsPerQuestion), result);
  });
  result.refused.sort((a, b) => a.index - b.index);
  return result;
}

interface Examined extends Correction {
  index: number;
  text: string;
  context: number;
}

function examine(corrections: readonly Correction[]): { good: Examined[]; refused: Refusal[] } {
  const good = new Map<string, Examined>();
  const refused: Refusal[] = [];
  for (const [index, correction] of corrections.entries()) {
    const text = textKey(correction.source);
    const { neighbours } = correction;
    const context = neighbours ? contextOfNeighbours(neighbours.before, neighbours.after) : anyContext;
    const place = `${text} ${context}`;
    const there = good.get(place);
    const reason = faultOf(correction) ?? (there && there.target !== correction.target ? 'CORRECTED_TWICE' : undefined);
    if (reason !== undefined) refused.push({ index, reason });
    else if (there === undefined) good.set(place, { ...correction, index, text, context });
  }
  return { good: [...good.values()], refused };
}

function faultOf({ source, target }: Correction): RefusalReason | undefined {
  if (stripInlineTags(target).trim() === '') return 'EMPTY_TARGET';
  const isText = (text: string): boolean => text.isWellFormed() && !/[\0-\u0008\u000b\u000c\u000e-\u001f]/.test(text);
  if (!isText(source) || !isText(target)) return 'BAD_TEXT';
  const same = inlineTagsOf(source).join() === inlineTagsOf(target).join();
  return same && inlineTagsNest(target) ? undefined : 'DAMAGED_TAGS';
}

async function takePart(
  trx: Trx,
  accountId: string,
  memoryId: number,
  part: readonly Examined[],
  result: CorrectionResult,
): Promise<void> {
  const rows = Map.groupBy(
    await findBlocks(trx, accountId, memoryId, [...new Set(part.map(({ text }) => text))]),
    ({ text }) => text,
  );
  const taken: NewMemory[] = [];
  for (const { index, text, context, source, target } of part) {
    const there = rows.get(text) ?? [];
    if (there.length === 0) result.refused.push({ index, reason: 'UNKNOWN_SOURCE' });
    else if (isThere(there, context, target)) result.unchanged++;
    else
      taken.push({
        text,
        context,
        variant: correctedVariant,
        grade: 'corrected',
        target,
        characters: countCharacters(stripInlineTags(source)),
      });
  }
  // Said for every place, it takes back what was said for single ones.
  const everywhere = taken.filter(({ context }) => context === anyContext).map(({ text }) => text);
  await forgetCorrections(trx, memoryId, everywhere);
  await rememberBlocks(trx, memoryId, taken, undefined);
  result.taken += taken.length;
}

/** Whether this is what the series would deliver at that place anyway. */
function isThere(rows: readonly RememberedRow[], context: number, target: string): boolean {
  const corrected = rows.filter(({ grade }) => grade === 'corrected');
  const here = corrected.find((row) => row.context === context) ?? corrected.find((row) => row.context === anyContext);
  if (here !== undefined) return here.target === target;
  const same = context === anyContext ? rows : rows.filter((row) => row.context === context);
  return (same.length > 0 ? same : rows).every((row) => row.target === target);
}
