/** A book that is still being translated: chapters appear as they become ready, in their order. */
import { byId, element } from './dom.ts';
import { blockElement } from './reader-block.ts';
import { type Book, readLiveChapter, type WaitingBook } from './reader-data.ts';

const places = new Map<number, HTMLElement>();

export async function showReadyChapters(waiting: WaitingBook): Promise<void> {
  // For reading only: what is shown may still change until the end.
  const book = { ...waiting, editable: false, terms: [], chapters: [] } as unknown as Book;
  for (const { index, title, translated_title, ready } of waiting.live ?? []) {
    if (!ready || places.has(index)) continue;
    const { blocks } = await readLiveChapter(index);
    const place = element('section', {
      class: 'chapter live',
      'aria-label': translated_title ?? title ?? `Part ${index + 1}`,
    });
    place.append(
      ...blocks.map((block) =>
        blockElement({ ...block, state: 'translated', notes: [], terms: [], corrected: false }, book),
      ),
    );
    places.set(index, place);
    const next = [...places.keys()].filter((other) => other > index).sort((a, b) => a - b)[0];
    byId('book').insertBefore(place, next === undefined ? null : (places.get(next) ?? null));
  }
}
