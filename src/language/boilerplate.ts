/**
 * Text that a library put around the book: licences and notes on the file. It is often in another language than the
 * book and says nothing about it.
 */

/** The paragraphs of the book itself; all of them when nothing else would be left. */
export function withoutBoilerplate(paragraphs: readonly string[]): readonly string[] {
  const afterStart = paragraphs.findIndex((text) => startMark.test(text)) + 1;
  const rest = paragraphs.slice(afterStart);
  const end = rest.findIndex((text) => endMark.test(text));
  const book = rest.slice(0, end < 0 ? undefined : end).filter((text) => !libraryNote.test(text));
  return book.some((text) => /\p{L}/u.test(text)) ? book : paragraphs;
}

const startMark = /\*{3}\s*START OF (?:THE|THIS) PROJECT GUTENBERG|\*END[* ]*THE SMALL PRINT/i;
const endMark = /\*{3}\s*END OF (?:THE|THIS) PROJECT GUTENBERG|^\s*End of (?:the )?Project Gutenberg/i;
const libraryNote = /Project Gutenberg|gutenberg\.(?:org|net)|Distributed Proofread|Standard Ebooks/i;
