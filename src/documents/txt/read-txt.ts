import type { ReadOptions, ReadResult, Section } from '../document.ts';
import { parseTxt, type TxtBlock, type TxtSink } from './parse-txt.ts';

/** @throws BAD_REQUEST with reason NOT_TEXT or UNREADABLE_ENCODING */
export function readTxt(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  const sections = new Sections();
  const { facts, warnings, countedBefore } = parseTxt(bytes, options, sections);
  return {
    document: { ...facts, sections: sections.list },
    warnings,
    sectionStart: (index) => countedBefore(sections.offsets[index] ?? 0),
  };
}

class Sections implements TxtSink {
  readonly list: Section[] = [];
  /** Where the first block of each section begins in the text. */
  readonly offsets: number[] = [];

  /** A part heading directly above a chapter heading shares its section. */
  startSection(role: 'part' | 'chapter'): void {
    const current = this.list.at(-1);
    const onlyHeadings = current?.title !== undefined && current.blocks.every((block) => block.kind === 'heading');
    if (role === 'chapter' && onlyHeadings && current.blocks.length === 1) return;
    this.list.push({ title: undefined, blocks: [] });
  }

  addBlock({ number, kind, role, text, characters, before, ruby, place }: TxtBlock): void {
    if (this.list.length === 0) this.list.push({ title: undefined, blocks: [] });
    const section = this.list.at(-1) as Section;
    this.offsets[this.list.length - 1] ??= place.start;
    section.blocks.push({
      id: `b${number}`,
      kind,
      text,
      characters,
      ...(before ? { before } : {}),
      ...(ruby ? { ruby } : {}),
    });
    if (role === 'part' || role === 'chapter') section.title = text;
    // "Chapter IV" with its title on the next line: both name the section.
    if (role === 'subheading' && section.blocks.length === 2 && section.title !== undefined)
      if (section.blocks[0]?.kind === 'heading') section.title = `${section.title} ${text}`;
  }
}
