/** The blocks that a chapter has its title from: its heading, headings in a row that name it together, or the entry of the contents. */
import type { Block } from '../documents/document.ts';
import { stripInlineTags } from '../inline-tags.ts';

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
