/** Segments of a run are translated in order, each with the end of the one before in translation; runs go side by side. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Section } from '../../src/documents/document.ts';
import type { TranslateRequest, TranslateResult } from '../../src/engines/engine.ts';
import { EngineError } from '../../src/engines/engine-error.ts';
import { makespanOf, minRunCharacters, planRuns, RunQueue, workOf } from '../../src/translation/plan/runs.ts';
import { planSegments, translatedEndOf } from '../../src/translation/plan/segment.ts';
import { translateBook } from '../../src/translation/translate-book.ts';
import { bookInput, good } from './book-input.ts';
import { memoryOf } from './book-memory.ts';
import { MemoryCheckpoint } from './memory-checkpoint.ts';
import { documentOf, makeNovel, paragraphs } from './novel.ts';
import { capabilities, render } from './scripted-engine.ts';

const novel = makeNovel(400_000);

function tasksOf(sections: readonly Section[]) {
  return planSegments(sections, { language: 'en' }).segments.map((segment) => ({ segment }));
}

/** The same paragraphs in chapters of another number. */
function inChapters(sections: readonly Section[], count: number): Section[] {
  const blocks = sections.flatMap((section) => section.blocks);
  const size = Math.ceil(blocks.length / count);
  return Array.from({ length: count }, (_, i) => ({
    title: `${i + 1}`,
    blocks: blocks.slice(i * size, (i + 1) * size),
  }));
}

for (const chapters of [1, 5, 24, 150]) {
  for (const slots of [4, 32]) {
    test(`a novel of ${chapters} chapters with ${slots} slots: every segment once, no short run, hardly later than in free order`, () => {
      const tasks = tasksOf(inChapters(novel.sections, chapters));
      const runs = planRuns(tasks, slots);
      assert.deepEqual(runs.flat(), tasks, 'in the order of the book');
      const lengths = runs.map((run) => run.reduce((sum, { segment }) => sum + segment.characters, 0));
      assert.ok(Math.min(...lengths) >= minRunCharacters, `${Math.min(...lengths)}`);
      const options = { slots, workOf: (task: (typeof tasks)[number]) => workOf(task) };
      const free = makespanOf(
        tasks.map((task) => [task]),
        options,
      );
      // Where no run can be cut any more it may be later.
      const isShort = Math.max(...lengths) < 2.5 * minRunCharacters;
      assert.ok(isShort || makespanOf(runs, options) <= free * 1.1, `${makespanOf(runs, options)} and ${free}`);
    });
  }
}

test('a chapter is one run where the slots can afford it, and a short book is one run', () => {
  const chapters = inChapters(novel.sections, 24);
  const runs = planRuns(tasksOf(chapters), 4);
  assert.deepEqual(
    runs.map((run) => new Set(run.map(({ segment }) => segment.section)).size),
    chapters.map(() => 1),
  );
  assert.equal(planRuns(tasksOf(makeNovel(8_000).sections), 32).length, 1);
});

test('a long chapter is cut where a scene begins, if one does near the middle', () => {
  const texts = Array.from({ length: 100 }, (_, i) => `${i} ${'The lamp burned low in the long room. '.repeat(12)}`);
  texts.splice(48, 0, '* * *');
  const runs = planRuns(tasksOf([paragraphs(texts)]), 2);
  assert.deepEqual(
    runs.map(([first]) => first?.segment.startsScene),
    [undefined, true],
  );
  assert.equal(runs[1]?.[0]?.segment.units[0]?.text.slice(0, 3), '48 ');
});

test('a run that would be late goes first, then the front of the book; what follows waits for what it follows', () => {
  const runs = [['a1'], ['b1', 'b2', 'b3', 'b4'], ['c1', 'c2']];
  const queue = new RunQueue(runs, { slots: 2, workOf: () => 1 });
  const taken = [queue.take(), queue.take(), queue.take(), queue.take()];
  assert.deepEqual(taken, ['b1', 'a1', 'c1', undefined]);
  queue.handOn('b1');
  queue.handOn('b1');
  assert.deepEqual([queue.take(), queue.take()], ['b2', undefined]);
  for (const item of ['a1', 'c1', 'b2']) queue.handOn(item);
  assert.deepEqual([queue.take(), queue.take(), queue.take()], ['b3', 'c2', undefined]);
});

/** By the first block of each call; `seen` is what it was told. */
function watched(answer: (request: TranslateRequest) => TranslateResult | Promise<TranslateResult> = good) {
  const seen = new Map<string, TranslateRequest>();
  const translate = async (request: TranslateRequest): Promise<TranslateResult> => {
    seen.set(request.blocks[0]?.id ?? '', request);
    return await answer(request);
  };
  return { seen, translate };
}

test('within a run each segment has the end of the one before as it was translated; a run begins with the source before it, across chapters', async () => {
  const { seen, translate } = watched();
  await translateBook(bookInput(novel, translate));
  const { segments } = planSegments(novel.sections, {
    language: 'en',
    maxInputCharacters: capabilities.maxInputCharacters,
  });
  const runs = planRuns(
    segments.map((segment) => ({ segment })),
    8,
  );
  let told = 0;
  for (const run of runs) {
    for (const [i, { segment }] of run.entries()) {
      const { context } = seen.get(segment.units[0]?.id ?? '') ?? assert.fail('not sent');
      if (segment.index > 0) assert.ok(context.before.length > 0, `segment ${segment.index} has no source before it`);
      if (i === 0) continue;
      const last = run[i - 1]?.segment.units.at(-1)?.text ?? '';
      const before = (context.translatedBefore ?? assert.fail(`segment ${segment.index} knows no translation`)).join(
        '',
      );
      assert.ok(before.endsWith(render(last, [])), before);
      assert.ok(before.length <= 910, `${before.length}`);
      told++;
    }
  }
  assert.ok(told > 60, `${told}`);
});

test('behind a long list of short lines a passage is told the end of the prose before it', () => {
  const prose = `${'It was the evening of the fair. '.repeat(8)}She had never called him anything but sir.`;
  const list = Array.from({ length: 70 }, (_, i) => `Item ${i}: one lamp, one rope, one oar.`);
  const [first, ...rest] = translatedEndOf([prose, ...list]);
  assert.match(first ?? '', /^….*anything but sir\. …$/);
  assert.ok(rest.length > 10 && rest.at(-1) === list.at(-1), 'and the lines right before it');
  assert.equal(translatedEndOf([prose, 'Item 1.', prose])[0], prose, 'prose that is near is told as it is');
});

test('what follows a segment under repair is told its best answer so far, and does not wait', async () => {
  const document = documentOf([
    paragraphs(Array.from({ length: 40 }, (_, i) => `Line ${i}. ${'It rained. '.repeat(20)}`)),
  ]);
  const goesOn = Promise.withResolvers<void>();
  let calls = 0;
  const { seen, translate } = watched(async (request) => {
    calls++;
    if (calls === 1) {
      const { translations, ...rest } = good(request);
      const [first] = translations.keys();
      return { ...rest, translations: new Map([...translations].filter(([id]) => id !== first)) };
    }
    if (request.blocks.length > 1) goesOn.resolve();
    // The repair of the first segment takes until the second one was sent.
    else await goesOn.promise;
    return good(request);
  });
  const { report } = await translateBook(bookInput(document, translate));
  assert.equal(report.coverage.failed, 0);
  const second = [...seen.values()].find(({ blocks }) => blocks.length > 1 && blocks[0]?.id !== 'b1');
  assert.match(second?.context.translatedBefore?.join('') ?? '', /\p{Script=Cyrillic}/u);
});

test('a segment whose engine is gone for a moment holds up nothing, and is translated at the end', async () => {
  let hiccups = 0;
  const { translate } = watched((request) => {
    if (hiccups++ < 3) throw new EngineError('timeout', 'slow');
    return good(request);
  });
  const { report } = await translateBook(bookInput(makeNovel(20_000), translate));
  assert.equal(report.coverage.failed, 0);
});

test('after a crash a run goes on behind its last finished segment, with its translation, and gives the same book', async () => {
  const undisturbed = await translateBook(bookInput(novel, good, { memory: memoryOf([]) }));
  const checkpoint = new MemoryCheckpoint();
  const committed = () => [...checkpoint.records.keys()].filter((key) => key.startsWith('segment ')).length;
  checkpoint.beforeSave = () => {
    if (committed() >= 12) throw new Error('crash');
  };
  await assert.rejects(translateBook(bookInput(novel, good, { memory: memoryOf([]), checkpoint })), /crash/);
  assert.equal(committed(), 12);
  checkpoint.beforeSave = () => {};
  const { seen, translate } = watched();
  const resumed = await translateBook(bookInput(novel, translate, { memory: memoryOf([]), checkpoint }));
  assert.deepEqual(resumed.texts, undisturbed.texts);
  const { segments } = planSegments(novel.sections, {
    language: 'en',
    maxInputCharacters: capabilities.maxInputCharacters,
  });
  assert.equal(seen.size, segments.length - 12);
  const sent = segments.filter(({ units }) => seen.has(units[0]?.id ?? ''));
  const behind = sent.filter(({ index, section }) => index > 0 && segments[index - 1]?.section === section);
  const untold = behind.filter(
    ({ index, units }) =>
      !sent.some((other) => other.index === index - 1) &&
      seen.get(units[0]?.id ?? '')?.context.translatedBefore === undefined,
  );
  assert.deepEqual(untold, [], 'a segment behind a finished one knows its translation');
});

test('a paragraph that is remembered tells the next one how it was translated, and a remembered book is not sent', async () => {
  const first = await translateBook(bookInput(novel, good, { memory: memoryOf([]) }));
  const never = () => assert.fail('sent though it is remembered');
  const again = await translateBook(bookInput(novel, never, { memory: memoryOf(first) }));
  assert.deepEqual(again.texts, first.texts);
});

for (const [name, more] of [
  ['an engine that reads no context', { followsInstructions: false }],
  ['an operator who wants it so', { order: 'free' as const }],
] as const) {
  test(`free order for ${name}: no segment waits for another`, async () => {
    const { order, ...own } = { order: undefined, ...more };
    const document = documentOf([
      paragraphs(Array.from({ length: 60 }, (_, i) => `Line ${i}. ${'It rained. '.repeat(20)}`)),
    ]);
    const count = planSegments(document.sections, { language: 'en' }).segments.length;
    const all = Promise.withResolvers<void>();
    let sent = 0;
    const translate = async (request: TranslateRequest): Promise<TranslateResult> => {
      sent++;
      // One answer shows that the engine can translate; then the others go out, and none of them is answered before all are there.
      if (sent === 1) return good(request);
      if (sent === count) all.resolve();
      await all.promise;
      return good(request);
    };
    const engines = { translate, capabilities: [{ ...capabilities, ...own }], policy: 'test' };
    const { report } = await translateBook(bookInput(document, good, { engines, concurrency: count, order }));
    assert.equal(report.coverage.failed, 0);
  });
}

test('what follows a segment that an engine could not be reached for knows the voice of what stands before that one', async () => {
  const texts = Array.from({ length: 40 }, (_, i) => `Line ${i}. ${'It rained. '.repeat(20)}`);
  let calls = 0;
  const { seen, translate } = watched((request) => {
    calls++;
    if (calls === 2) throw new EngineError('timeout', 'slow');
    return good(request);
  });
  const { report } = await translateBook(bookInput(documentOf([paragraphs(texts)]), translate));
  assert.equal(report.coverage.failed, 0);
  const untold = [...seen.values()].filter(({ context }) => context.translatedBefore === undefined);
  assert.equal(untold.length, 1, 'only the first one of the run');
});
