import { AppError } from '../errors.ts';
import { stripInlineTags } from '../inline-tags.ts';
import type { ReadableBook } from './read-book.ts';

export interface FoundPassage {
  chapter: number;
  blockId: string;
  side: 'source' | 'target';
  /** The words around it. */
  excerpt: string;
}

const maxFound = 300;
const aroundCharacters = 50;
/** A search reads the whole book, so only few may run at once in a process. */
const maxSearches = 2;
let searches = 0;

/** In source and translation, without regard to letter case. @throws UNAVAILABLE when too many search already */
export async function searchBook(book: ReadableBook, query: string): Promise<{ found: FoundPassage[]; more: boolean }> {
  if (searches >= maxSearches)
    throw new AppError('UNAVAILABLE', 'Others are searching just now; try again in a moment.', {
      retryAfterSeconds: 1,
    });
  searches += 1;
  try {
    const wanted = query.normalize('NFC').toLowerCase();
    const passages: FoundPassage[] = [];
    for await (const { chapter, block } of book.blocks()) {
      for (const side of ['source', 'target'] as const) {
        const text = stripInlineTags(block[side]).normalize('NFC');
        const at = text.toLowerCase().indexOf(wanted);
        if (at < 0) continue;
        if (passages.length === maxFound) return { found: passages, more: true };
        const excerpt = text.slice(Math.max(0, at - aroundCharacters), at + wanted.length + aroundCharacters);
        passages.push({ chapter, blockId: block.id, side, excerpt });
      }
    }
    return { found: passages, more: false };
  } finally {
    searches -= 1;
  }
}
