/** The opening of a book is sent while the rest of it is still being asked for and cut; nothing else may be different for it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TranslateRequest, TranslateResult } from '../../src/engines/engine.ts';
import type { BookMemory } from '../../src/translation/memory/book-memory.ts';
import { farFromTheEnd, planSegments, SegmentPlanner } from '../../src/translation/plan/segment.ts';
import { translateBook } from '../../src/translation/translate-book.ts';
import { inOrderOfWork } from '../../src/translation/translate-segments.ts';
import { bookInput, good } from './book-input.ts';
import { memoryOf } from './book-memory.ts';
import { MemoryCheckpoint } from './memory-checkpoint.ts';
import { makeNovel, paragraphs, random } from './novel.ts';
import { capabilities } from './scripted-engine.ts';

const novel = makeNovel(400_000);

test('wherever the opening ends, its segments and the rest are those of the whole plan', () => {
  const whole = planSegments(novel.sections, { language: 'en' });
  for (let front = 1; front < novel.sections.length; front++) {
    const planner = new SegmentPlanner(novel.sections, { language: 'en' });
    if (planner.loadOf(novel.sections.slice(front).flatMap(({ blocks }) => blocks)) < farFromTheEnd) break;
    const opening = planner.planOpening(front);
    assert.deepEqual(opening, whole.segments.slice(0, opening.length));
    planner.planRest();
    assert.deepEqual(planner.plan, whole);
  }
});

test('what certainly is left by the length of the texts is never more than what is left', () => {
  const words = [
    'the lamp',
    'свет',
    '灯はついていた',
    'ไฟดับ',
    '<1>a</1>',
    '  ',
    '\n',
    '—',
    '1847',
    '😀',
    'भाषा',
    '등불',
  ];
  const next = random(5);
  for (let round = 0; round < 300; round++) {
    const text = Array.from({ length: 1 + next() * 900 }, () => words[Math.floor(next() * words.length)]).join(' ');
    const blocks = [{ id: 'b1', kind: 'paragraph' as const, text, characters: text.length }];
    const planner = new SegmentPlanner([{ title: undefined, blocks }], { language: 'en' });
    const load = planner.loadOf(blocks);
    assert.equal(planner.hasLoad(blocks, load), true);
    assert.equal(planner.hasLoad(blocks, load + 1), false, text);
  }
});

/** Tells what was asked for and what was sent, in that order. */
function watched(memory: BookMemory): { memory: BookMemory; events: string[] } {
  const events: string[] = [];
  const find: BookMemory['find'] = async (places) => {
    events.push('asked');
    return await memory.find(places);
  };
  return { memory: { ...memory, find }, events };
}

test('the first calls are sent before the memory was asked for the whole book, and nothing is committed before the plan is told', async () => {
  const { memory, events } = watched(memoryOf([]));
  const checkpoint = new MemoryCheckpoint();
  const save = checkpoint.save.bind(checkpoint);
  checkpoint.save = async (record) => {
    if (record.kind === 'segment') events.push('committed');
    await save(record);
  };
  const translate = (request: TranslateRequest): TranslateResult => {
    events.push('sent');
    return good(request);
  };
  const onPlan = async () => void events.push('told');
  await translateBook(bookInput(novel, translate, { memory, checkpoint, onPlan }));
  assert.ok(events.indexOf('sent') < events.lastIndexOf('asked'), events.join(' '));
  assert.ok(events.lastIndexOf('asked') < events.indexOf('told'));
  assert.ok(events.indexOf('told') < events.indexOf('committed'));
});

test('of a book that is larger than the memory only the opening is asked for before the first calls, and the plan is the same', async () => {
  const asked: { characters?: number; before: number; sent: string[] }[] = [];
  const remembered = memoryOf([]);
  for (const size of [{}, { characters: 1_000 }, { characters: 300_000 }]) {
    const run = { ...size, before: 0, sent: [] as string[] };
    const find: BookMemory['find'] = async (places) => {
      if (run.sent.length === 0) run.before += places.length;
      return await remembered.find(places);
    };
    const translate = (request: TranslateRequest): TranslateResult => {
      run.sent.push(request.blocks.map(({ id }) => id).join());
      return good(request);
    };
    await translateBook(bookInput(novel, translate, { memory: { ...remembered, ...size, find } }));
    asked.push(run);
  }
  const [unknown, small, large] = asked;
  assert.equal(small?.before, 300);
  assert.ok((unknown?.before ?? 0) > 300);
  assert.equal(large?.before, unknown?.before);
  assert.deepEqual(small?.sent.toSorted(), unknown?.sent.toSorted());
});

test('a text that stands in the book again and again is remembered once, and counts once', () => {
  const blocks = paragraphs(Array.from({ length: 2_000 }, () => 'lamp '.repeat(100))).blocks;
  const planner = new SegmentPlanner([{ title: undefined, blocks }], { language: 'en' });
  assert.ok(planner.loadOf(blocks) > farFromTheEnd);
  assert.equal(planner.hasDistinctLoad(blocks, farFromTheEnd), false);
  assert.equal(planner.hasDistinctLoad(blocks.slice(0, 1), planner.loadOf(blocks.slice(0, 1)) / 2), true);
});

test('a run that goes on after a crash takes over every segment of the opening, and gives the same book', async () => {
  const undisturbed = await translateBook(bookInput(novel, good, { memory: memoryOf([]) }));
  const checkpoint = new MemoryCheckpoint();
  const committed = () => [...checkpoint.records.keys()].filter((key) => key.startsWith('segment ')).length;
  checkpoint.beforeSave = () => {
    if (committed() >= 12) throw new Error('crash');
  };
  await assert.rejects(translateBook(bookInput(novel, good, { memory: memoryOf([]), checkpoint })), /crash/);
  assert.equal(committed(), 12);
  checkpoint.beforeSave = () => {};
  let sent = 0;
  const count = (request: TranslateRequest): TranslateResult => {
    sent++;
    return good(request);
  };
  const resumed = await translateBook(bookInput(novel, count, { memory: memoryOf([]), checkpoint }));
  assert.deepEqual(resumed.texts, undisturbed.texts);
  assert.equal(
    sent,
    planSegments(novel.sections, { language: 'en', maxInputCharacters: capabilities.maxInputCharacters }).segments
      .length - 12,
  );
});

test('a book whose end is remembered is asked for as a whole first, and one that is remembered is not sent at all', async () => {
  const first = await translateBook(bookInput(novel, good, { memory: memoryOf([]) }));
  const half = new Set(
    novel.sections.slice(novel.sections.length / 2).flatMap(({ blocks }) => blocks.map(({ text }) => text)),
  );
  const { memories } = first;
  const sources = novel.sections.flatMap(({ blocks }) => blocks);
  const late = new Set(sources.filter(({ text }) => half.has(text)).map(({ id }) => first.texts.get(id)));
  const { memory, events } = watched(memoryOf({ memories: memories.filter(({ target }) => late.has(target)) }));
  const translate = (request: TranslateRequest): TranslateResult => {
    events.push('sent');
    return good(request);
  };
  const second = await translateBook(bookInput(novel, translate, { memory }));
  assert.ok(events.lastIndexOf('asked') < events.indexOf('sent'), events.join(' '));
  assert.deepEqual(second.texts, first.texts);
  const never = () => assert.fail('sent though it is remembered');
  const third = await translateBook(bookInput(novel, never, { memory: memoryOf({ memories }) }));
  assert.deepEqual(third.texts, first.texts);
});

test('the end of a book goes longest answer first, and inline tags make an answer long', () => {
  const words = (count: number) => 'lamp '.repeat(count).trim();
  const names = Array.from({ length: 30 }, (_, i) => `<${i + 1}>Aldous</${i + 1}>`).join(' and ');
  const texts = ['It began.', words(60), words(90), names, words(120), words(30)];
  const sections = paragraphs(texts).blocks.map((block) => ({ title: undefined, blocks: [block] }));
  const tasks = planSegments(sections, { language: 'en' }).segments.map((segment) => ({ segment }));
  const order = inOrderOfWork(tasks, 8).map(({ segment }) => segment.index);
  assert.deepEqual(order, [0, 3, 4, 2, 1, 5]);
});
