/** The reader gets the same book, whatever of it was packed while the rest was being translated. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BookForReading } from '../../src/tasks/reading/book-reading.ts';
import { ReadingPack } from '../../src/tasks/reading/pack-reading.ts';
import type { Term } from '../../src/term.ts';
import { documentOf, random } from '../translation/novel.ts';

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
  const report = { coverage: { locations }, warnings } as unknown as BookForReading['report'];
  return { document, texts, terms, report, sourceLang: 'en', targetLang: 'de' };
}

test('a book that was packed in any order of answers is the one that is packed at its end', () => {
  const next = random(23);
  for (let round = 0; round < 40; round++) {
    const final = new Map(blocks.map(({ id, text }) => [id, text === '* * *' ? text : `${text} (${round})`]));
    const soFar = new Map<string, string>();
    const pack = new ReadingPack({ document, terms, sourceLang: 'en' });
    let packed = 0;
    for (const { id } of blocks.toSorted(() => next() - 0.5).slice(0, Math.ceil(blocks.length * (0.6 + next())))) {
      soFar.set(id, final.get(id) ?? '');
      while (pack.packAhead(soFar)) packed++;
    }
    if (soFar.size === blocks.length) assert.equal(packed, sections.length);
    const some = (count: number) => Array.from({ length: count }, () => blocks[Math.floor(next() * blocks.length)]);
    for (const block of some(round % 3)) final.set(block?.id ?? '', 'Changed afterwards.');
    const noted = some(round % 4 === 1 ? 2 : 0).map((block) => block?.id ?? '');
    const failed = some(round % 5 === 2 ? 1 : 0).map((block) => block?.id ?? '');
    const book = bookWith(final, noted, failed);
    const fresh = new ReadingPack(book).finish(book);
    assert.deepEqual(pack.finish(book), fresh);
    const index = JSON.parse(fresh.index);
    assert.equal(index.chapters.length, sections.length + 2, 'a long chapter is cut');
    assert.equal(index.chapters[0].translatedTitle, index.chapters[0].title && final.get('b1'));
    assert.equal(index.chapters[3].title, null);
  }
});

test('a book in one section is not looked through again with every answer', () => {
  const many = Array.from({ length: 5_000 }, (_, i) => ({
    id: `b${i + 1}`,
    kind: 'paragraph' as const,
    text: `Line ${i}.`,
    characters: 8,
  }));
  const pack = new ReadingPack({
    document: documentOf([{ title: undefined, blocks: many }]),
    terms: [],
    sourceLang: 'en',
  });
  let asked = 0;
  for (let there = 0; there < many.length; there++) {
    const texts = {
      get: (id: string) => {
        asked++;
        return Number(id.slice(1)) <= there ? 'Zeile.' : undefined;
      },
    };
    assert.equal(pack.packAhead(texts), false);
  }
  assert.equal(asked, many.length * 2 - 1);
});
