import { anyContext, type BlockKey, type BlockPlace, contextAgreement, correctedVariant } from './block-keys.ts';

/** `draft`: by an engine that makes drafts; `corrected`: by a person; `sandbox`: invented words. */
export type Grade = 'translated' | 'draft' | 'corrected' | 'sandbox';

/** A translation that is there for a text. */
export interface Remembered extends Omit<BlockPlace, 'text'> {
  grade: Grade;
  target: string;
  /** Paid for already, so not charged again. */
  free: boolean;
}

/** A remembered translation as it goes into a book. */
export interface RecalledBlock {
  text: string;
  grade: Grade;
  free: boolean;
  sameContext: boolean;
  /** Where it is in the memory; checkpoints of earlier versions do not have it. */
  place?: BlockPlace;
}

export interface Chosen {
  row: Remembered;
  /** Whether both neighbours are the same as when it was remembered. */
  sameContext: boolean;
}

function isVariantOf(key: BlockKey, { variant }: Remembered): boolean {
  return variant === key.variant || variant === key.alsoVariant;
}

/**
 * The best of what is remembered for a block: where its surroundings agree most, and of those a correction. A short block needs
 * one neighbour that is the same. A correction posted for every place needs none, but gives way to one for this place.
 */
export function chooseRemembered(
  key: BlockKey,
  rows: readonly Remembered[],
  accepted: ReadonlySet<Grade>,
): Chosen | undefined {
  let best: { row: Remembered; rank: number } | undefined;
  for (const row of rows) {
    const corrected = row.grade === 'corrected';
    if (corrected ? row.variant !== correctedVariant : !isVariantOf(key, row)) continue;
    if (!accepted.has(row.grade)) continue;
    const everywhere = row.context === anyContext;
    const agreement = everywhere ? 3 : contextAgreement(key.context, row.context);
    if (key.short && agreement === 1) continue;
    const rank = agreement * 2 + (corrected ? 1 : 0) + (corrected && row.context === key.context ? 1 : 0);
    if (best === undefined || rank > best.rank) best = { row, rank };
  }
  return best && { row: best.row, sameContext: best.rank >= 6 };
}
