/** What preview_metadata tells about a source. Field names are those of the wire. */

import type { DetectedLanguage } from '../language/detect-language.ts';
import { blocksOf, charactersIn, type Document } from './document.ts';

/** `sample` is what a limit leaves of `document`; the same without one. */
export function describeDocument(
  document: Document,
  sample: Document,
  options: { fileName: string | undefined; language: DetectedLanguage | undefined },
) {
  const detected = options.language;
  const chapters = chaptersOf(document);
  return {
    file_name: options.fileName ?? null,
    format: document.format,
    encoding: document.encoding ?? null,
    title: document.title ?? null,
    author: document.author ?? null,
    declared_language: document.declaredLanguage ?? null,
    detected_language: detected?.code ?? null,
    detected_language_confidence: detected?.confidence ?? null,
    // The counted characters of the range that `char_limit` leaves; everything else is about the whole source.
    sample_characters: sample.characters,
    total_characters: document.totalCharacters,
    // What of the whole lies in the range.
    sample: {
      characters: sample.characters,
      chapters: chaptersOf(sample).length,
      paragraphs: paragraphCount(sample),
    },
    chapter_count: chapters.length,
    chapters,
    paragraph_count: paragraphCount(document),
    images: document.imageCount,
    ruby: document.hasRuby,
    writing_mode: document.writingMode,
  };
}

function paragraphCount(document: Document): number {
  return blocksOf(document).filter(({ kind }) => kind !== 'heading' && kind !== 'label').length;
}

/** Titled sections; a book without any is one chapter. Front matter counts towards no chapter. */
function chaptersOf(document: Document): { index: number; title: string | null; characters: number }[] {
  const titled = document.sections.filter((section) => section.title !== undefined);
  const chapters =
    titled.length > 0
      ? titled
      : document.sections.slice(0, 1).map(() => ({ title: undefined, blocks: blocksOf(document) }));
  return chapters.map((section, i) => ({
    index: i + 1,
    title: section.title ?? null,
    characters: charactersIn(section.blocks),
  }));
}
