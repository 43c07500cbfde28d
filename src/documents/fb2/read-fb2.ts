import { assembleDocument } from '../assemble-document.ts';
import type { ReadOptions, ReadResult } from '../document.ts';
import { flowSections } from '../flow/flow-part.ts';
import { elementAtPath, type MarkupElement, textAtPath } from '../markup/markup.ts';
import { bookTitle, openFb2 } from './fb2-source.ts';

/** @throws BAD_REQUEST UNREADABLE_SOURCE, the XML_ and the ARCHIVE_ reasons */
export function readFb2(bytes: Uint8Array, options: ReadOptions): ReadResult {
  const source = openFb2(bytes);
  const { titleInfo } = source;
  const facts = {
    format: 'fb2' as const,
    encoding: source.encoding,
    title: bookTitle(titleInfo),
    author: authorOf(titleInfo),
    declaredLanguage: textAtPath(titleInfo, 'lang'),
    writingMode: 'horizontal' as const,
    hasRuby: false,
    imageCount: source.imageCount,
    textCharacters: source.textCharacters,
  };
  return {
    document: assembleDocument(facts, flowSections(source.blocks), source.skipped, options.charLimit),
    warnings: [],
  };
}

function authorOf(titleInfo: MarkupElement | undefined): string | undefined {
  const author = elementAtPath(titleInfo, 'author');
  const names = ['first-name', 'middle-name', 'last-name'].map((part) => textAtPath(author, part));
  return names.filter(Boolean).join(' ') || textAtPath(author, 'nickname');
}
