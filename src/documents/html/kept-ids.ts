/** Link targets that are left of a page. */

import { tokenizeInline } from '../../inline-tags.ts';
import { elementsOf } from '../markup/markup.ts';
import type { Page } from './page.ts';

/** All ids of the page, or those up to the cut: before the last block, and in what is left of it. */
export function keptIds(page: Page, cut?: { index: number; text: string }): Set<string> {
  const ids = new Set<string>();
  const last = cut === undefined ? undefined : page.blocks[cut.index];
  const end = cut === undefined ? Number.POSITIVE_INFINITY : (last?.start ?? 0);
  const isCut = last !== undefined && last.text !== cut?.text;
  const limit = last !== undefined && !isCut ? last.runEnd : end;
  for (const element of elementsOf(page.tree.root)) {
    if (element.start >= limit) continue;
    for (const name of ['id', 'xml:id', 'name']) {
      const id = element.attributes[name];
      if (id !== undefined) ids.add(id);
    }
  }
  if (!isCut || cut === undefined) return ids;
  const used = new Set(tokenizeInline(cut.text).flatMap((token) => (token.kind === 'text' ? [] : [token.number])));
  last.tags.forEach((tag, i) => {
    const id = tag.kind === 'element' && used.has(i + 1) ? tag.element.attributes.id : undefined;
    if (id !== undefined) ids.add(id);
  });
  return ids;
}
