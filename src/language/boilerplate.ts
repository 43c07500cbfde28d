/**
 * Text that a library put around the book: licences and notes on the file. It is often in another language than the
 * book and says nothing about it.
 */

/** The paragraphs of the book itself; all of them when nothing else would be left. */
export function withoutBoilerplate(paragraphs: readonly string[]): readonly string[] {
  // One look at every paragraph instead of three: in most books none has any of the marks.
  const marked = paragraphs.flatMap((text, i) => (anyMark.test(text) ? [i] : []));
  if (marked.length === 0) return paragraphs;
  const first = (mark: RegExp, from: number): number | undefined =>
    marked.find((i) => i >= from && mark.test(paragraphs[i] ?? ''));
  const start = first(startMark, 0);
  const afterStart = start === undefined ? 0 : start + 1;
  const end = first(endMark, afterStart);
  const notes = new Set(marked.filter((i) => libraryNote.test(paragraphs[i] ?? '')));
  const book = paragraphs.slice(afterStart, end).filter((_, i) => !notes.has(afterStart + i));
  return book.some((text) => /\p{L}/u.test(text)) ? book : paragraphs;
}

const startMark = /\*{3}\s*START OF (?:THE|THIS) PROJECT GUTENBERG|\*END[* ]*THE SMALL PRINT/i;
const endMark = /\*{3}\s*END OF (?:THE|THIS) PROJECT GUTENBERG|^\s*End of (?:the )?Project Gutenberg/i;
const libraryNote = /Project Gutenberg|gutenberg\.(?:org|net)|Distributed Proofread|Standard Ebooks/i;
/** A word of each of the others. */
const anyMark = /gutenberg|small print|proofread|standard ebooks/i;
