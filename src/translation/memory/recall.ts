/** Which blocks of a book are there already. What was found once stays found: a run that goes on after a crash sees the same. */
import type { Block, Document } from '../../documents/document.ts';
import { inlineTagsOf } from '../../inline-tags.ts';
import { projectTags } from '../../project-tags.ts';
import type { Checkpoint, CheckpointRecord } from '../checkpoint.ts';
import { runPool } from '../pool.ts';
import type { BlockKey, BlockPlace } from './block-keys.ts';
import { chooseRemembered, type Grade, type RecalledBlock, type Remembered } from './choose.ts';

/** Translations by text key, of the series or of the account's earlier tasks: those that may be chosen at these places. */
export type FindRemembered = (places: readonly BlockPlace[]) => Promise<ReadonlyMap<string, readonly Remembered[]>>;

export type Recalled = ReadonlyMap<string, RecalledBlock>;

/** One question, one record: a few hundred blocks. */
const blocksPerPart = 300;
/** The database has others to serve. */
const questionsAtOnce = 3;

export interface RecallInput {
  document: Document;
  keys: readonly BlockKey[];
  find: FindRemembered;
  targetLang: string;
  accepted: ReadonlySet<Grade>;
  saved: readonly CheckpointRecord[];
  save: Checkpoint['save'];
  signal: AbortSignal;
}

export async function recallBlocks(input: RecallInput): Promise<Recalled> {
  const { document, keys, saved } = input;
  const blocks = new Map(document.sections.flatMap((section) => section.blocks.map((block) => [block.id, block])));
  const parts = new Map(saved.flatMap((record) => (record.kind === 'recall' ? [[record.key, record]] : [])));
  const recalled = new Map<string, RecalledBlock>();
  const starts = Array.from({ length: Math.ceil(keys.length / blocksPerPart) }, (_, i) => i * blocksPerPart);
  await runPool(starts, { concurrency: questionsAtOnce, signal: input.signal }, async (from) => {
    const part = keys.slice(from, from + blocksPerPart);
    const partKey = String(from).padStart(9, '0');
    const found = parts.get(partKey)?.blocks ?? (await findPart(input, part, blocks));
    if (!parts.has(partKey)) await input.save(recordOf(partKey, part, found));
    for (const [blockId, block] of Object.entries(found)) recalled.set(blockId, block);
  });
  return recalled;
}

async function findPart(
  { find, targetLang, accepted }: RecallInput,
  part: readonly BlockKey[],
  blocks: ReadonlyMap<string, Block>,
): Promise<Record<string, RecalledBlock>> {
  const rows = await find(part.map(({ text, variant, context }) => ({ text, variant, context })));
  const found: Record<string, RecalledBlock> = {};
  for (const key of part) {
    const chosen = chooseRemembered(key, rows.get(key.text) ?? [], accepted);
    const block = blocks.get(key.blockId);
    if (chosen === undefined || block === undefined) continue;
    const { target, grade, free, variant, context } = chosen.row;
    const text = fitted(block.text, target, targetLang);
    const place = { text: key.text, variant, context };
    found[key.blockId] = { text, grade, free, sameContext: chosen.sameContext, place };
  }
  return found;
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
