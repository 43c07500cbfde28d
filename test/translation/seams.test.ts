/** Where two runs meet, a paragraph that changes the tense for a moment is mended; a run with a voice of its own is not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TranslateRequest, TranslateResult } from '../../src/engines/engine.ts';
import type { BookInput } from '../../src/translation/book.ts';
import type { Sheet } from '../../src/translation/sheet.ts';
import { translateBook } from '../../src/translation/translate-book.ts';
import { bookInput } from './book-input.ts';
import { MemoryCheckpoint } from './memory-checkpoint.ts';
import { documentOf, paragraphs } from './novel.ts';
import { capabilities, noUsage } from './scripted-engine.ts';

const line = (i: number) =>
  `He stood at window ${i} for a while that evening, and looked out once more at the grey sea, as he did whenever the rain had stopped.`;
const past = (i: string) =>
  `Er stand eine Weile am Fenster ${i} und sah auf das graue Meer hinaus, wie er es an jedem Abend tat.`;
const present = (i: string) =>
  `Er steht eine Weile am Fenster ${i} und sieht auf das graue Meer hinaus, wie er es an jedem Abend tut.`;
const [first, second] = [
  paragraphs(Array.from({ length: 100 }, (_, i) => line(i))),
  paragraphs(Array.from({ length: 100 }, (_, i) => line(100 + i))),
];
const document = documentOf([
  first,
  { ...second, blocks: second.blocks.map((block, i) => ({ ...block, id: `c${i + 1}` })) },
]);

interface Scene {
  sheet?: Sheet;
  /** Paragraphs of the second chapter that are told in the present tense at first. */
  inPresent: (number: number) => boolean;
  mend?: (number: string) => string;
  checkpoint?: MemoryCheckpoint;
}

async function translated({ sheet, inPresent, mend = past, checkpoint = new MemoryCheckpoint() }: Scene) {
  const asked: TranslateRequest[] = [];
  const translate = async (request: TranslateRequest): Promise<TranslateResult> => {
    if (request.fault !== undefined) asked.push(request);
    const translations = new Map(
      request.blocks.map(({ id, text }) => {
        const number = /\d+/.exec(text)?.[0] ?? '';
        if (request.fault !== undefined) return [id, mend(number)];
        return [id, inPresent(Number(number)) ? present(number) : past(number)];
      }),
    );
    return { translations, finish: 'complete', usage: noUsage };
  };
  const writeSheet: BookInput['engines']['writeSheet'] = async () => ({
    fields: sheet ?? {},
    finish: 'complete',
    usage: noUsage,
  });
  const engines = { translate, writeSheet, capabilities: [capabilities], policy: 'test' };
  const result = await translateBook(bookInput(document, undefined, { targetLang: 'de', engines, checkpoint }));
  return { asked, text: result.texts.get('c1') ?? '', revised: result.report.repairs.passages_revised };
}

const sheet: Sheet = { tense: 'past' };
const onlyFirst = (number: number) => number === 100;

test('the first paragraph of a run that changes the tense for a moment is mended, once', async () => {
  const checkpoint = new MemoryCheckpoint();
  const { asked, text } = await translated({ sheet, inPresent: onlyFirst, checkpoint });
  assert.equal(asked.length, 1);
  assert.deepEqual(
    asked[0]?.blocks.map(({ id }) => id),
    ['c1'],
  );
  assert.match(asked[0]?.fault ?? '', /the tense changes there.*Present translation: Er steht/su);
  assert.ok(asked[0]?.context.translatedBefore?.at(-1)?.includes('Fenster 99'));
  assert.equal(text, past('100'));
  const again = await translated({ sheet, inPresent: onlyFirst, checkpoint });
  assert.deepEqual([again.asked.length, again.text], [0, past('100')], 'kept by the checkpoint');
});

test('nothing is asked where the sheet says nothing of it, or the run keeps to a form of its own', async () => {
  const untold = await translated({ sheet: { register: 'plain' }, inPresent: onlyFirst });
  assert.deepEqual([untold.asked.length, untold.text], [0, present('100')]);
  const own = await translated({ sheet, inPresent: (number) => number >= 100 });
  assert.deepEqual([own.asked.length, own.text], [0, present('100')]);
});

test('an edit that drops half of the paragraph is refused', async () => {
  const { asked, text } = await translated({
    sheet,
    inPresent: onlyFirst,
    mend: (number) => `Er stand am Fenster ${number}.`,
  });
  assert.deepEqual([asked.length, text], [1, present('100')]);
});
