import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Document } from '../../src/documents/document.ts';
import { blockKeysOf } from '../../src/translation/memory/block-keys.ts';
import { chooseRemembered, type Grade, type Remembered } from '../../src/translation/memory/choose.ts';
import { documentOf, makeNovel, random } from './novel.ts';

const options = {
  sourceLang: 'en',
  targetLang: 'ru',
  style: undefined,
  background: undefined,
  termsIn: () => ({ terms: [] }),
  enginePolicy: '',
};
const accepted = new Set<Grade>(['translated', 'corrected']);

/** How many blocks of a document the memory of another one does not have. */
function missing(document: Document, remembered: Document): number {
  const rows = Map.groupBy(
    blockKeysOf(remembered, options).map(({ text, variant, context, blockId }): Remembered & { text: string } => ({
      text,
      variant,
      context,
      grade: 'translated',
      target: blockId,
      free: true,
    })),
    ({ text }) => text,
  );
  const keys = blockKeysOf(document, options);
  return keys.filter((key) => chooseRemembered(key, rows.get(key.text) ?? [], accepted) === undefined).length;
}

test('a paragraph inserted anywhere in a book of 300,000 characters makes at most three paragraphs new', () => {
  const novel = makeNovel(300_000);
  const next = random(17);
  assert.equal(missing(novel, novel), 0);
  for (let round = 0; round < 20; round++) {
    const at = Math.floor(next() * novel.sections.length);
    const sections = novel.sections.map(({ title, blocks }, i) => {
      if (i !== at) return { title, blocks };
      const place = Math.floor(next() * blocks.length);
      const text = `A stranger nobody had ever seen stood in the door, and the lamp went out. ${round}`;
      const added = { id: 'new', kind: 'paragraph' as const, text, characters: text.length };
      return { title, blocks: blocks.toSpliced(place, 0, added) };
    });
    const redone = missing(documentOf(sections), novel);
    assert.ok(redone >= 1 && redone <= 3, `${redone} paragraphs`);
  }
});
