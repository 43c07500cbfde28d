/** Which blocks of a book are there already. What was found once stays found: a run that goes on after a crash sees the same. */
import { type Block, blocksOf, type Document } from '../../documents/document.ts';
import { inlineTagsOf } from '../../inline-tags.ts';
import { projectTags } from '../../project-tags.ts';
import type { Checkpoint, CheckpointRecord } from '../checkpoint.ts';
import type { BlockKey, BlockPlace } from './block-keys.ts';
import { chooseRemembered, type Grade, type RecalledBlock, type Remembered } from './choose.ts';

/** Translations by text key, of the series or of the account's earlier tasks: those that may be chosen at these places. */
export type FindRemembered = (places: readonly BlockPlace[]) => Promise<ReadonlyMap<string, readonly Remembered[]>>;

export type Recalled = ReadonlyMap<string, RecalledBlock>;

export interface RecallInput {
  document: Document;
  keys: readonly BlockKey[];
  /** Absent where nothing is remembered. */
  find?: FindRemembered | undefined;
  targetLang: string;
  accepted: ReadonlySet<Grade>;
  saved: readonly CheckpointRecord[];
  save: Checkpoint['save'];
}

/** How many blocks with letters a part has; the last one may have fewer. */
const blocksPerPart = 300;

export async function recallBlocks(input: RecallInput): Promise<Recalled> {
  const { keys, find, saved, save } = input;
  const recalled = new Map<string, RecalledBlock>();
  if (find === undefined) return recalled;
  const savedBlocks = new Map(
    saved.flatMap((record) => (record.kind === 'recall' ? [[record.key, record.blocks]] : [])),
  );
  const parts = Array.from({ length: Math.ceil(keys.length / blocksPerPart) }, (_, i) => ({
    key: String(i * blocksPerPart).padStart(9, '0'),
    keys: keys.slice(i * blocksPerPart, (i + 1) * blocksPerPart),
  }));
  const blocks = new Map(blocksOf(input.document).map((block) => [block.id, block]));
  for (const part of parts) {
    let chosen = savedBlocks.get(part.key);
    if (chosen === undefined) {
      chosen = chosenFor(input, part.keys, await find(part.keys.flatMap(placesOf)), blocks);
      await save(recordOf(part.key, part.keys, chosen));
    }
    for (const [blockId, block] of Object.entries(chosen)) recalled.set(blockId, block);
  }
  return recalled;
}

function placesOf({ text, variant, alsoVariant, context }: BlockKey): BlockPlace[] {
  const also = alsoVariant === undefined || alsoVariant === variant ? [] : [{ text, variant: alsoVariant, context }];
  return [{ text, variant, context }, ...also];
}

function chosenFor(
  { targetLang, accepted }: RecallInput,
  part: readonly BlockKey[],
  rows: ReadonlyMap<string, readonly Remembered[]>,
  blocks: ReadonlyMap<string, Block>,
): Record<string, RecalledBlock> {
  const recalledBlocks: Record<string, RecalledBlock> = {};
  for (const key of part) {
    const chosen = chooseRemembered(key, rows.get(key.text) ?? [], accepted);
    const block = blocks.get(key.blockId);
    if (chosen === undefined || block === undefined) continue;
    const { target, grade, free, variant, context } = chosen.row;
    const text = fitted(block.text, target, targetLang);
    const place = { text: key.text, variant, context };
    recalledBlocks[key.blockId] = { text, grade, free, sameContext: chosen.sameContext, place };
  }
  return recalledBlocks;
}

/** A correction may come without tags, or with those of another edition. */
function fitted(source: string, target: string, targetLang: string): string {
  return inlineTagsOf(source).join() === inlineTagsOf(target).join()
    ? target
    : projectTags(source, target, targetLang).text;
}

function recordOf(
  key: string,
  part: readonly BlockKey[],
  blocks: Record<string, RecalledBlock>,
): CheckpointRecord & { kind: 'recall' } {
  const sum = (of: (block: RecalledBlock) => boolean): number =>
    part.reduce((total, { blockId, characters }) => {
      const block = blocks[blockId];
      return block !== undefined && of(block) ? total + characters : total;
    }, 0);
  return { kind: 'recall', key, characters: sum(() => true), paidCharacters: sum(({ free }) => free), blocks };
}
