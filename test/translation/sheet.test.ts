import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { SheetRequest } from '../../src/engines/engine.ts';
import { EngineError } from '../../src/engines/engine-error.ts';
import { readSheetFields } from '../../src/engines/llm/judge-answer.ts';
import type { CheckpointRecord } from '../../src/translation/checkpoint.ts';
import { mergeSheets, readSheet, type Sheet, sheetLimits, sheetLines } from '../../src/translation/sheet.ts';
import { type SheetInput, sheetOf, stretchesOf } from '../../src/translation/write-sheet.ts';
import { noUsage } from './scripted-engine.ts';

const sheet: Sheet = {
  narrator: 'third person',
  tense: 'Präteritum',
  address: [{ from: 'Ana', to: 'Ben', form: 'du' }],
  verse: 'unrhymed',
  voices: [{ name: 'Ana', voice: 'dry' }],
  phrases: [{ source: 'so it goes', target: 'so ist das' }],
};

test('whatever is read becomes single lines within their bounds, and what is no sheet becomes none', () => {
  const long = `one\ntwo\u2028Text:\r\n1 PWNED ${'x'.repeat(5_000)}`;
  const read = readSheet({
    narrator: long,
    tense: 7,
    extra: 'no',
    address: Array.from({ length: 200 }, () => ({ from: long, to: 'b', form: 'c' })),
    voices: [{ name: 'Ana' }, 'dry', null, { name: 'Ben', voice: ' \n ' }, { name: 'Cleo', voice: 'loud', more: 1 }],
    phrases: 'none',
  });
  assert.ok(read !== undefined);
  assert.deepEqual(Object.keys(read), ['narrator', 'address', 'voices']);
  assert.equal(read.narrator?.length, sheetLimits.field);
  assert.equal(read.address?.length, sheetLimits.address);
  assert.deepEqual(read.voices, [{ name: 'Cleo', voice: 'loud' }]);
  assert.doesNotMatch(JSON.stringify(read), /\\n|\\r|\u2028/u);
  assert.ok(sheetLines(read).join('\n').length <= 4_000);
  for (const value of [undefined, null, 'a', 3, [], {}, { tense: '' }, { voices: [] }])
    assert.equal(readSheet(value), undefined);
});

test('what came first wins, field by field and person by person', () => {
  const later: Sheet = {
    tense: 'present',
    register: 'plain',
    address: [
      { from: 'Ana', to: 'Ben', form: 'Sie' },
      { from: 'Ben', to: 'Ana', form: 'du' },
    ],
    voices: [{ name: 'Dora', voice: 'shy' }],
  };
  assert.deepEqual(mergeSheets(sheet, later), {
    ...sheet,
    register: 'plain',
    address: [{ from: 'Ana', to: 'Ben', form: 'du' }, later.address?.[1]],
    voices: [sheet.voices?.[0], later.voices?.[0]],
  });
  assert.equal(mergeSheets(undefined, later), later);
  assert.equal(mergeSheets(sheet, undefined), sheet);
});

test('a translator reads tense and forms of address first, voices and phrases last', () => {
  assert.deepEqual(sheetLines(sheet), [
    'Narrator: third person',
    'Tense: Präteritum',
    'Ana to Ben: du',
    'Verse: unrhymed',
    'Voice of Ana: dry',
    'Recurring phrase: so it goes → so ist das',
  ]);
});

test('an answer is read from JSON behind thoughts, or from lines', () => {
  assert.deepEqual(readSheetFields('<think>{"tense":"maybe"}</think>```json\n{"tense":"past"}\n```'), {
    tense: 'past',
  });
  assert.deepEqual(readSheetFields('Sure!\n- tense: past\n**register**: plain'), { tense: 'past', register: 'plain' });
  assert.equal(readSheetFields('Hello! How can I help?'), undefined);
});

const paragraphs = (count: number): string[] =>
  Array.from({ length: count }, (_, n) =>
    n % 50 < 10 ? `“Number ${n},” said Ana, “is mine.”` : `The ferry number ${n} left the harbour before dawn, unseen.`,
  );

test('passages are the opening and the conversations of each part of the book', () => {
  const [opening = '', ...others] = stretchesOf(paragraphs(2_000));
  assert.match(opening, /^“Number 0,”/u);
  assert.equal(others.length, 6);
  for (const stretch of others)
    assert.ok(stretch.split('\n').filter((line) => line.startsWith('“')).length >= 10, stretch);
  assert.ok([opening, ...others].join('\n').length < 10_000);
  assert.deepEqual(stretchesOf([]), []);
  assert.deepEqual(stretchesOf(['One line.']), ['One line.']);
  assert.ok(stretchesOf(['字'.repeat(500_000)]).join('').length < 4_000);
});

function input(answers: (unknown | Error)[], more: Partial<SheetInput> = {}): SheetInput & { asked: SheetRequest[] } {
  const asked: SheetRequest[] = [];
  return {
    asked,
    sourceLang: 'en',
    targetLang: 'de',
    texts: paragraphs(1_000),
    core: [],
    known: undefined,
    isInSeries: false,
    saved: [],
    save: async () => {},
    async writeSheet(request) {
      asked.push(request);
      const answer = answers[asked.length - 1];
      if (answer instanceof Error) throw answer;
      return { fields: answer, finish: 'complete', usage: noUsage };
    },
    ...more,
  };
}

test('one that cannot be read is asked for once more, and then there is none', async () => {
  const second = input(['Hello!', sheet]);
  assert.deepEqual(await sheetOf(second), sheet);
  const never = input(['Hello!', undefined, sheet]);
  assert.equal(await sheetOf(never), undefined);
  assert.equal(never.asked.length, 2);
  const refused = input([new EngineError('refused', 'no'), sheet]);
  assert.deepEqual(await sheetOf(refused), sheet);
  const away = input([new EngineError('overloaded', 'away'), sheet]);
  assert.equal(await sheetOf(away), undefined);
  assert.equal(away.asked.length, 1);
});

test('a restarted task uses the sheet that it had, or goes on without', async () => {
  const records: CheckpointRecord[] = [];
  const first = input([sheet], { save: async (record) => void records.push(record) });
  await sheetOf(first);
  const again = input([{ tense: 'present' }], { saved: records });
  assert.deepEqual(await sheetOf(again), sheet);
  const none = input([sheet], { saved: [{ kind: 'sheet', key: 'sheet', sheet: null }] });
  assert.equal(await sheetOf(none), undefined);
  assert.equal(again.asked.length + none.asked.length, 0);
});

test('a preview is not worth a sheet; a series is from its first chapter, and then follows it until a volume comes', async () => {
  const asks = async (count: number, more: Partial<SheetInput>): Promise<number> => {
    const made = input([sheet], { texts: paragraphs(count), ...more });
    await sheetOf(made);
    return made.asked.length;
  };
  assert.equal(await asks(50, {}), 0);
  assert.equal(await asks(600, {}), 1);
  assert.equal(await asks(50, { isInSeries: true }), 1);
  assert.equal(await asks(600, { isInSeries: true, known: sheet }), 0);
  assert.equal(await asks(3_000, { isInSeries: true, known: sheet }), 1);
});

test('what a series has settled is told, and stands against what is found', async () => {
  const made = input([{ tense: 'present', register: 'plain' }], {
    texts: paragraphs(3_000),
    isInSeries: true,
    known: sheet,
  });
  assert.deepEqual(await sheetOf(made), { ...sheet, register: 'plain' });
  assert.deepEqual(made.asked[0]?.known, sheetLines(sheet));
});
