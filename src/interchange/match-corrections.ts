/** Which paragraphs an editor has changed: matched by unit id, else by source text. Nothing is lost silently. */

import { isTooLong, tooLong } from '../correction.ts';
import { keepsInlineTags, stripInlineTags } from '../inline-tags.ts';
import { Pauses } from '../pauses.ts';
import type { EditedUnit } from './edited-unit.ts';

export interface CorrectableBlock {
  id: string;
  source: string;
  /** What is delivered now. */
  target: string;
}

export interface Correction {
  blockId: string;
  source: string;
  target: string;
}

/**
 * `DAMAGED_TAGS`: the inline tags are not those of the paragraph; `UNKNOWN_UNIT`: no paragraph has this id or source;
 * `EMPTY_TARGET`: the translation was deleted; `UNKNOWN_MARKUP`: inline elements that are not ours; `OTHER_LANGUAGES`: the unit
 * is not from the source language of the book into its target language.
 */
export const unitRefusals = [
  'DAMAGED_TAGS',
  'UNKNOWN_UNIT',
  'EMPTY_TARGET',
  'UNKNOWN_MARKUP',
  'OTHER_LANGUAGES',
] as const;
export type RefusalReason = (typeof unitRefusals)[number];

export interface MatchedCorrections {
  taken: Correction[];
  unchanged: number;
  refused: { unit: string; reason: RefusalReason }[];
}

/** A novel's takes half a second, in which others get their turns. @throws BAD_REQUEST for a paragraph that is too long */
export async function matchCorrections(
  units: readonly EditedUnit[],
  blocks: readonly CorrectableBlock[],
): Promise<MatchedCorrections> {
  const pauses = new Pauses();
  const byId = new Map<string, CorrectableBlock>();
  const bySource = new Map<string, CorrectableBlock[]>();
  for (const block of blocks) {
    if (pauses.isDue) await pauses.take();
    byId.set(block.id, block);
    const source = comparable(block.source);
    const same = bySource.get(source);
    if (same === undefined) bySource.set(source, [block]);
    else same.push(block);
  }
  const taken = new Map<string, Correction>();
  const refused: MatchedCorrections['refused'] = [];
  let unchanged = 0;
  for (const unit of units) {
    if (pauses.isDue) await pauses.take();
    const reference = unit.id ?? stripInlineTags(unit.source).slice(0, 80);
    const refuse = (reason: RefusalReason) => refused.push({ unit: reference, reason });
    if (unit.fault !== undefined) {
      refuse(unit.fault);
      continue;
    }
    const own = unit.id === undefined ? undefined : byId.get(unit.id);
    const source = comparable(unit.source);
    // An id alone is not enough: a file of another book has the same ids.
    const matching = own && comparable(own.source) === source ? [own] : (bySource.get(source) ?? []);
    if (matching.length === 0) refuse('UNKNOWN_UNIT');
    for (const block of matching) {
      if (unit.target === block.target) unchanged++;
      else if (stripInlineTags(unit.target).trim() === '') refuse('EMPTY_TARGET');
      else if (isTooLong(unit.target, block.source)) throw tooLong(block.id, block.source);
      else if (!keepsInlineTags(unit.target, block.source)) refuse('DAMAGED_TAGS');
      else taken.set(block.id, { blockId: block.id, source: block.source, target: unit.target });
    }
  }
  return { taken: [...taken.values()], unchanged, refused };
}

/** Tools fold white space and drop tags they do not know; neither makes another paragraph. */
function comparable(source: string): string {
  return stripInlineTags(source).normalize('NFC').replace(/\s+/g, ' ').trim();
}
