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

/** The database has others to serve. */
const questionsAtOnce = 2;
/** A way there and back takes longer than to look up some hundreds of texts. */
const partsPerQuestion = 4;

export interface RecallInput {
  document: Document;
  keys: readonly BlockKey[];
  /** Absent where nothing is remembered. */
  find?: FindRemembered | undefined;
  targetLang: string;
  accepted: ReadonlySet<Grade>;
  saved: readonly CheckpointRecord[];
  save: Checkpoint['save'];
  signal: AbortSignal;
}

export async function recallBlocks(input: RecallInput): Promise<Recalled> {
  return await new BlockRecall(input).all();
}

/** Asks for a book part by part: its opening can be translated before the rest of it is asked for. */
export class BlockRecall {
  /** What was found by now. */
  readonly found: Recalled;
  readonly #input: RecallInput;
  readonly #recalled = new Map<string, RecalledBlock>();
  /** Made when something was found. */
  #blocks: ReadonlyMap<string, Block> | undefined;
  readonly #saved: ReadonlyMap<string, CheckpointRecord & { kind: 'recall' }>;
  readonly #asked = new Map<number, Promise<void>>();

  constructor(input: RecallInput) {
    this.#input = input;
    this.found = this.#recalled;
    const { saved } = input;
    this.#saved = new Map(saved.flatMap((record) => (record.kind === 'recall' ? [[record.key, record]] : [])));
  }

  /** How many blocks with letters a part has; the last one may have fewer. */
  static readonly blocksPerPart = 300;

  async all(): Promise<Recalled> {
    const { blocksPerPart } = BlockRecall;
    await this.parts(Array.from({ length: Math.ceil(this.#input.keys.length / blocksPerPart) }, (_, i) => i));
    return this.found;
  }

  async parts(numbers: readonly number[]): Promise<void> {
    const { signal, keys, find } = this.#input;
    if (find === undefined || keys.length === 0) return;
    const fresh = numbers.filter((number) => !this.#asked.has(number));
    const questions: number[][] = [];
    for (let at = 0; at < fresh.length; at += partsPerQuestion) questions.push(fresh.slice(at, at + partsPerQuestion));
    await runPool(questions, { concurrency: questionsAtOnce, signal }, async (question) => {
      const answer = this.#ask(question, find);
      for (const number of question) this.#asked.set(number, answer);
      await answer;
    });
    await Promise.all(numbers.map((number) => this.#asked.get(number)));
  }

  async #ask(numbers: readonly number[], find: FindRemembered): Promise<void> {
    const { blocksPerPart } = BlockRecall;
    const parts = numbers.map((number) => {
      const from = number * blocksPerPart;
      const key = String(from).padStart(9, '0');
      return { key, keys: this.#input.keys.slice(from, from + blocksPerPart), saved: this.#saved.get(key)?.blocks };
    });
    const places = parts.filter(({ saved }) => saved === undefined).flatMap(({ keys }) => keys.flatMap(placesOf));
    const rows = places.length === 0 ? new Map<string, Remembered[]>() : await find(places);
    for (const { key, keys, saved } of parts) {
      const found = saved ?? (rows.size === 0 ? {} : chosenFor(this.#input, keys, rows, this.#blocksById()));
      if (saved === undefined) await this.#input.save(recordOf(key, keys, found));
      for (const [blockId, block] of Object.entries(found)) this.#recalled.set(blockId, block);
    }
  }

  #blocksById(): ReadonlyMap<string, Block> {
    const { sections } = this.#input.document;
    this.#blocks ??= new Map(sections.flatMap(({ blocks }) => blocks.map((block) => [block.id, block])));
    return this.#blocks;
  }
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
