import type { ReadOptions, ReadResult, Section } from '../document.ts';
import { parseTxt } from './parse-txt.ts';

/** @throws BAD_REQUEST with reason NOT_TEXT or UNREADABLE_ENCODING */
export function readTxt(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  const { facts, warnings, blocks, countedBefore } = parseTxt(bytes, options);
  const sections: Section[] = [];
  /** Where the first block of each section begins in the text. */
  const offsets: number[] = [];
  for (const { repeats, number, kind, role, text, characters, before, ruby, place } of blocks) {
    if (repeats !== undefined) continue;
    const isChapter = role === 'part' || role === 'chapter';
    const last = sections.at(-1);
    if (last === undefined || (isChapter && !(role === 'chapter' && isPartHeading(last)))) {
      sections.push({ title: undefined, blocks: [] });
      offsets.push(place.start);
    }
    const section = sections.at(-1) as Section;
    const block = { id: `b${number}`, kind, text, characters };
    section.blocks.push({ ...block, ...(before ? { before } : {}), ...(ruby ? { ruby } : {}) });
    if (isChapter) section.title = text;
    // "Chapter IV" with its title on the next line: both name the section.
    if (role === 'subheading' && section.blocks.length === 2 && section.title !== undefined)
      if (section.blocks[0]?.kind === 'heading') section.title = `${section.title} ${text}`;
  }
  return {
    document: { ...facts, sections },
    warnings,
    sectionStart: (index) => countedBefore(offsets[index] ?? 0),
  };
}

/** A part heading directly above a chapter heading shares its section. */
function isPartHeading({ title, blocks }: Section): boolean {
  return title !== undefined && blocks.length === 1 && blocks[0]?.kind === 'heading';
}
