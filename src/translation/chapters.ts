/**
 * The chapters of a book as partners read them while it is translated. They are made of the plan once, and put together from
 * the segments that are accepted by then. A chapter is a section, or a part of one that is too long to be read at once.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Block, Section } from '../documents/document.ts';
import type { TranslationQuality } from '../engines/engine.ts';
import { stripInlineTags } from '../inline-tags.ts';
import type { SegmentTask } from './book.ts';
import { type CheckpointRecord, revisionKeys, revisionsIn } from './checkpoint.ts';
import type { Recalled } from './memory/recall.ts';
import { assembleBlock, unitsOf } from './plan/units.ts';
import type { FailureReason, SegmentOutcome } from './segment-outcome.ts';

export interface PlannedChapter {
  /** From 1. */
  index: number;
  title: string | undefined;
  characters: number;
  segmentKeys: string[];
  /** What its translated title is put together from; undefined when it is said nowhere in the chapter. */
  titleParts: TitlePart[] | undefined;
  /** Packed; see `chapterBlocks`. */
  content: Uint8Array;
}

/** A unit of a segment. */
export interface SegmentPlace {
  key: string;
  place: number;
}

/** A unit of a segment, or a text that is known already. */
export type TitlePart = SegmentPlace | { text: string };

interface Content {
  sourceLang: string;
  blocks: PlannedBlock[];
}

interface PlannedBlock extends Pick<Block, 'id' | 'kind' | 'text' | 'characters'> {
  places: SegmentPlace[];
  remembered?: string;
}

/** Half the processor time of the usual level, for a tenth more bytes. */
const packing = 3;
/** More than any chapter of a novel; a book without chapters is read in parts of this size. */
const maxChapterCharacters = 100_000;

export function planChapters(
  sections: readonly Section[],
  tasks: readonly SegmentTask[],
  recalled: Recalled,
  sourceLang: string,
): PlannedChapter[] {
  const places = new Map<string, SegmentPlace[]>();
  for (const { key, segment } of tasks)
    for (const [place, { blockId }] of segment.units.entries())
      places.getOrInsertComputed(blockId, () => []).push({ key, place });
  const chapters: PlannedChapter[] = [];
  for (const { title, blocks } of sections) {
    const planned = blocks.map(({ id, kind, text, characters }) => ({
      id,
      kind,
      text,
      characters,
      places: places.get(id) ?? [],
      ...(recalled.has(id) ? { remembered: recalled.get(id)?.text ?? '' } : {}),
    }));
    const titleParts = titlePartsOf(title, planned);
    for (const part of partsOf(planned)) {
      const content: Content = { sourceLang, blocks: part };
      chapters.push({
        index: chapters.length + 1,
        title,
        characters: part.reduce((sum, block) => sum + block.characters, 0),
        segmentKeys: [...new Set(content.blocks.flatMap((block) => block.places.map(({ key }) => key)))],
        titleParts,
        content: gzipSync(JSON.stringify(content), { level: packing }),
      });
    }
  }
  return chapters;
}

function titlePartsOf(title: string | undefined, blocks: readonly PlannedBlock[]): TitlePart[] | undefined {
  const parts = titlePieces(title, blocks)?.map((piece): TitlePart | undefined => {
    if (typeof piece === 'string') return { text: piece };
    const { text, places, remembered } = piece;
    // What has no words, such as a numeral, is not translated.
    if (remembered !== undefined || places.length === 0) return { text: stripInlineTags(remembered ?? text) };
    return places.length === 1 ? places[0] : undefined;
  });
  return parts?.every((part) => part !== undefined) ? parts : undefined;
}

function partsOf(blocks: readonly PlannedBlock[]): PlannedBlock[][] {
  const parts: PlannedBlock[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const block of blocks) {
    if (characters + block.characters > maxChapterCharacters) {
      parts.push([]);
      characters = 0;
    }
    parts.at(-1)?.push(block);
    characters += block.characters;
  }
  return parts;
}

export interface ChapterBlock extends Pick<Block, 'id' | 'kind' | 'characters'> {
  /** With inline tags. */
  source: string;
  /** Undefined as long as a part of it is not translated. */
  translation: string | undefined;
  /** Why it stayed as it is, or what is still wrong with it. */
  flags: string[];
  failure: FailureReason | undefined;
  /** Characters of it that stayed in the source language because no translation was good enough. */
  failedCharacters: number;
  /** The least of its segments; undefined where nothing was translated, or by an engine without a word for it. */
  quality: TranslationQuality | undefined;
}

/** What is accepted of a task, by segment key. */
export interface AcceptedSegments {
  outcome(key: string): Pick<SegmentOutcome, 'units' | 'quality'> | undefined;
  /** Texts by place that later passes have changed. */
  revision(key: string): Readonly<Record<string, string>> | undefined;
}

/** The language that the chapters of a book were planned in. */
export function plannedLanguage(packed: Uint8Array): string {
  return (JSON.parse(gunzipSync(packed).toString()) as Content).sourceLang;
}

export function chapterBlocks(packed: Uint8Array, accepted: AcceptedSegments, targetLang: string): ChapterBlock[] {
  const content = JSON.parse(gunzipSync(packed).toString()) as Content;
  return content.blocks.map((block) => blockOf(block, content.sourceLang, accepted, targetLang));
}

function blockOf(
  { places, remembered, ...block }: PlannedBlock,
  sourceLang: string,
  accepted: AcceptedSegments,
  targetLang: string,
): ChapterBlock {
  const { id, kind, characters, text: source } = block;
  const shown = { id, kind, characters, source, failure: undefined, failedCharacters: 0, quality: undefined };
  if (remembered !== undefined) return { ...shown, translation: remembered, flags: ['reused'] };
  if (places.length === 0) return { ...shown, translation: source, flags: ['kept'] };
  const units = unitsOf(block, sourceLang);
  const texts: string[] = [];
  const flags = new Set<string>();
  let failure: FailureReason | undefined;
  let failedCharacters = 0;
  const qualities = new Set<TranslationQuality | undefined>();
  for (const [i, { key, place }] of places.entries()) {
    const segment = accepted.outcome(key);
    qualities.add(segment?.quality);
    const outcome = segment?.units[place];
    if (outcome === undefined) return { ...shown, translation: undefined, flags: [] };
    texts.push(accepted.revision(key)?.[String(place)] ?? outcome.text);
    for (const fault of outcome.faults) flags.add(fault);
    if (outcome.failure === undefined) continue;
    failure = outcome.failure;
    flags.add(failure);
    failedCharacters += units[i]?.characters ?? 0;
  }
  const translation = assembleBlock(units, texts, targetLang);
  const quality = (['sandbox', 'draft'] as const).find((each) => qualities.has(each));
  return { ...shown, translation, flags: [...flags], failure, failedCharacters, quality };
}

/** What the run found remembered, from its own records. */
export function recalledOf(records: readonly CheckpointRecord[]): Recalled {
  return new Map(records.flatMap((each) => (each.kind === 'recall' ? Object.entries(each.blocks) : [])));
}

export function acceptedOf(records: readonly CheckpointRecord[]): AcceptedSegments {
  const outcomes = new Map(records.flatMap((each) => (each.kind === 'segment' ? [[each.key, each.outcome]] : [])));
  const revisions = revisionsIn(records);
  return {
    outcome: (key) => outcomes.get(key),
    revision: (key) => Object.assign({}, ...revisionKeys(key).map((each) => revisions.get(each))),
  };
}

/** The blocks that a chapter has its title from: its heading, headings in a row that name it together, or the entry of the contents. */
type TitleBlock = Pick<Block, 'kind' | 'text'>;

/** The blocks of the title, with the text of the title that stands between them; undefined when no block says it. */
export function titlePieces<T extends TitleBlock>(
  title: string | undefined,
  blocks: readonly T[],
): (T | string)[] | undefined {
  if (title === undefined) return undefined;
  const wanted = plainText(title);
  return headingsOf(wanted, blocks) ?? otherBlockOf(wanted, blocks);
}

function headingsOf<T extends TitleBlock>(title: string, blocks: readonly T[]): (T | string)[] | undefined {
  const pieces: (T | string)[] = [];
  let rest = title;
  for (const block of blocks) {
    if (block.kind !== 'heading') continue;
    const text = plainText(block.text);
    const between = pieces.length === 0 ? '' : (/^(?:: | )/.exec(rest)?.[0] ?? '');
    if (text === '' || !rest.startsWith(text, between.length)) continue;
    if (between !== '') pieces.push(between);
    pieces.push(block);
    rest = rest.slice(between.length + text.length);
    if (rest === '') return pieces;
  }
  return undefined;
}

function otherBlockOf<T extends TitleBlock>(title: string, blocks: readonly T[]): T[] | undefined {
  const heading = blocks.find(({ text }) => text.length <= title.length * 4 && plainText(text) === title);
  return heading === undefined ? undefined : [heading];
}

function plainText(text: string): string {
  return stripInlineTags(text).replace(/\s+/g, ' ').trim();
}
