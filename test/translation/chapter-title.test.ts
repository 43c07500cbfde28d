import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { planChapters, titlePieces } from '../../src/translation/chapters.ts';

const block = (kind: 'heading' | 'paragraph' | 'label', text: string, id = text) => ({ id, kind, text, characters: 1 });

test('a title is found in the headings that make it, and in the entry of the contents', () => {
  const pieces = (title: string | undefined, ...blocks: ReturnType<typeof block>[]) =>
    titlePieces(title, blocks)?.map((piece) => (typeof piece === 'string' ? piece : piece.id));
  assert.deepEqual(pieces('I', block('heading', 'I'), block('paragraph', 'I')), ['I']);
  assert.deepEqual(pieces('I: The Storm', block('heading', 'I'), block('heading', 'The <1>Storm</1>', 's')), [
    'I',
    ': ',
    's',
  ]);
  assert.deepEqual(pieces('Book One II', block('heading', 'Book One'), block('heading', 'II')), [
    'Book One',
    ' ',
    'II',
  ]);
  assert.deepEqual(pieces('Two', block('heading', 'Book'), block('heading', 'Two')), ['Two']);
  assert.deepEqual(pieces('Arrival', block('label', 'Arrival'), block('paragraph', 'He came.')), ['Arrival']);
  assert.equal(pieces('Arrival', block('paragraph', 'He came.')), undefined);
  assert.equal(pieces(undefined, block('heading', 'I')), undefined);
});

test('a title is put together from what is translated, remembered and never translated', () => {
  const blocks = [block('heading', 'IV'), block('heading', 'The Storm'), block('paragraph', 'x'.repeat(10))];
  const [chapter] = planChapters(
    [{ title: 'IV: The Storm', blocks }],
    [],
    new Map([['The Storm', { text: 'Der <1>Sturm</1>', grade: 'translated', free: true, sameContext: true }]]),
    'en',
  );
  assert.deepEqual(chapter?.titleParts, [{ text: 'IV' }, { text: ': ' }, { text: 'Der Sturm' }]);
});
