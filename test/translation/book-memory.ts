import type { BookMemory, SeriesAccess } from '../../src/translation/memory/book-memory.ts';
import type { Remembered } from '../../src/translation/memory/choose.ts';
import type { NewMemory } from '../../src/translation/memory/remember.ts';

/** What some books taught, as a later one finds it. */
export function memoryOf(
  books: { memories: NewMemory[] } | { memories: NewMemory[] }[],
  series?: SeriesAccess,
): BookMemory {
  const rows = Map.groupBy(
    [books].flat().flatMap(({ memories }) => memories),
    ({ text }) => text,
  );
  return {
    find: async (places) =>
      new Map(
        places.map(({ text }): [string, Remembered[]] => [
          text,
          (rows.get(text) ?? []).map((row) => ({ ...row, free: series !== undefined })),
        ]),
      ),
    accepted: new Set(['translated', 'corrected']),
    series,
  };
}
