/** Passages to judge a translator by: across the whole book, and of every kind that it has. The same for the same book. */
import type { Block, Document } from '../documents/document.ts';
import { stripInlineTags } from '../inline-tags.ts';

export type PassageKind = 'dialogue' | 'description' | 'letter' | 'names';

export interface Passage {
  kind: PassageKind;
  blocks: Block[];
  characters: number;
}

/** A scene can be judged; a page of it tires nobody. */
const shortest = 500;
const longest = 2_000;
/** So many passages show a book, where it is long enough. */
const wanted = 10;

/** In the order of the book, with at least so many characters together, or all that it has. */
export function choosePassages(document: Pick<Document, 'sections'>, characters: number): Passage[] {
  const size = Math.min(longest, Math.max(shortest, Math.ceil(characters / wanted)));
  const stretches = document.sections.flatMap(({ blocks }) => stretchesOf(blocks, size)).map(scored);
  const count = Math.min(stretches.length, Math.ceil(characters / size));
  const chosen = new Map<number, PassageKind>();
  const letter = best(stretches, 0, stretches.length, 'letter', chosen);
  if (letter !== undefined && (stretches[letter]?.letter ?? 0) > 0) chosen.set(letter, 'letter');
  const kinds = ['dialogue', 'description', 'names'] as const;
  // One from each part of the book, so that no chapter decides alone.
  for (let part = 0; chosen.size < count && part < count; part++) {
    const [from, to] = [part, part + 1].map((edge) => Math.floor((edge * stretches.length) / count));
    const kind = kinds[part % kinds.length] ?? 'description';
    const at = best(stretches, from ?? 0, to ?? 0, kind, chosen);
    if (at !== undefined) chosen.set(at, kind);
  }
  let sum = [...chosen.keys()].reduce((all, at) => all + (stretches[at]?.characters ?? 0), 0);
  for (let at = 0; sum < characters && at < stretches.length; at++) {
    if (chosen.has(at)) continue;
    chosen.set(at, 'description');
    sum += stretches[at]?.characters ?? 0;
  }
  return [...chosen]
    .sort(([a], [b]) => a - b)
    .flatMap(([at, kind]) => {
      const stretch = stretches[at];
      return stretch === undefined ? [] : [{ kind, blocks: stretch.blocks, characters: stretch.characters }];
    });
}

type Stretch = Omit<Passage, 'kind'>;

type Scored = Stretch & Record<PassageKind, number>;

/** Neighbouring paragraphs of one chapter. Its end goes with what stands before. */
function stretchesOf(blocks: readonly Block[], size: number): Stretch[] {
  const stretches: Stretch[] = [];
  let open: Stretch | undefined;
  for (const block of blocks) {
    if (open === undefined || open.characters >= size) {
      open = { blocks: [], characters: 0 };
      stretches.push(open);
    }
    open.blocks.push(block);
    open.characters += block.characters;
  }
  const [before, last] = stretches.slice(-2);
  if (before !== undefined && last !== undefined && last.characters < size / 2)
    stretches.splice(-2, 2, {
      blocks: [...before.blocks, ...last.blocks],
      characters: before.characters + last.characters,
    });
  return stretches;
}

function scored(stretch: Stretch): Scored {
  const text = stretch.blocks.map((block) => stripInlineTags(block.text)).join('\n');
  const share = (pattern: RegExp): number => (text.match(pattern)?.join('').length ?? 0) / Math.max(1, text.length);
  const dialogue = share(/[„“"«「『][^“”"»」』\n]{1,400}[“”"»」』]|^\s*[—–-]\s.*$/gmu);
  return {
    ...stretch,
    dialogue,
    description: 1 - dialogue,
    letter:
      text.match(
        /^\W{0,3}(?:my dear|dear|mon cher|ma chère|cher|chère|querid[oa]|lieber?|sehr geehrte|дорог|亲爱的|親愛|拝啓|前略).{0,60}[,:!，：、]/gimu,
      )?.length ?? 0,
    // Words in the middle of a sentence with a capital letter; in scripts without capitals, forms that go with names.
    names: share(/(?<=[\p{Ll},;] )\p{Lu}\p{Ll}{2,}|[\p{Lo}]{1,3}(?:先生|小姐|公子|道|曰|さん|君|様|殿)/gu),
  };
}

function best(
  stretches: readonly Scored[],
  from: number,
  to: number,
  kind: PassageKind,
  taken: ReadonlyMap<number, unknown>,
): number | undefined {
  const free = [...stretches.keys()].slice(from, to).filter((at) => !taken.has(at));
  return free.toSorted((one, other) => (stretches[other]?.[kind] ?? 0) - (stretches[one]?.[kind] ?? 0))[0];
}
