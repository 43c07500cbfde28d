/** What the reader gets of a finished book. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BookForReading } from '../../src/reading/book-reading.ts';
import { packReading } from '../../src/reading/pack-reading.ts';
import type { Term } from '../../src/term.ts';
import { documentOf } from '../translation/novel.ts';

const terms: Term[] = [
  {
    source: 'Puerto Calmo',
    target: 'Stillhafen',
    type: 'place',
    gender: 'unknown',
    aliases: [],
    occurrences: 1,
    confidence: 1,
    origin: 'supplied',
  },
];

const lines = ['The boat left Puerto Calmo.', '* * *', 'Nobody <1>saw</1> it.', '“Who is there?”', 'Night fell.'];
const sections = Array.from({ length: 6 }, (_, chapter) => ({
  title: chapter === 3 ? undefined : `Chapter ${chapter + 1}`,
  blocks: Array.from({ length: chapter === 4 ? 400 : 9 }, (_, place) => {
    const text = place === 0 ? `Chapter ${chapter + 1}` : (lines[(place + chapter) % lines.length] ?? '');
    const kind = place === 0 ? ('heading' as const) : ('paragraph' as const);
    return { id: `b${chapter * 1_000 + place + 1}`, kind, text, characters: text.length };
  }),
}));
const document = documentOf(sections);
const blocks = sections.flatMap((section) => section.blocks);

function bookWith(texts: Map<string, string>, noted: readonly string[], failed: readonly string[]): BookForReading {
  const kept = blocks.filter(({ text }) => text === '* * *');
  const location = (blockId: string, reason: string) => ({ block_id: blockId, reason, section: 0, characters: 1 });
  const locations = [
    ...kept.map(({ id }) => location(id, 'no_letters')),
    ...failed.map((id) => location(id, 'failed_checks')),
  ];
  const warnings = noted.length === 0 ? [] : [{ code: 'NOTED', message: 'Look here.', count: 1, block_ids: noted }];
  const review = { count: 0, paragraphs: [] };
  const report = { coverage: { locations }, warnings, review } as unknown as BookForReading['report'];
  return { document, texts, terms, report, sourceLang: 'en', targetLang: 'de' };
}

test('a book is packed by its chapters, with marks on what was kept, failed or noted', () => {
  const texts = new Map(blocks.map(({ id, text }) => [id, text === '* * *' ? text : `${text} (de)`]));
  const { index, chapters } = packReading(bookWith(texts, ['b3'], ['b4']));
  const packed = JSON.parse(index);
  assert.equal(packed.chapters.length, sections.length + 2, 'a long chapter is cut');
  assert.equal(packed.chapters[0].translatedTitle, texts.get('b1'));
  assert.equal(packed.chapters[3].title, null);
  assert.match(packed.chapters[0].marks, /^\.kwf/);
  assert.ok(packed.chapters[0].marks.includes('k'));
  const pieces = packed.chapters.map(({ offset, length }: { offset: number; length: number }) =>
    JSON.parse(chapters.subarray(offset, offset + length).toString()),
  );
  assert.deepEqual(
    pieces.flat().map(({ id, target }: { id: string; target: string }) => [id, target]),
    [...texts],
  );
  const [place] = packed.terms[0].places[0];
  assert.match(JSON.stringify(pieces[place]), /Puerto Calmo/);
});
