/** What a book teaches is handed over while it is being translated; in the end it is what the finished book teaches. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostLearning } from '../../src/tasks/run/ask-host.ts';
import type { LearnedPart } from '../../src/tasks/run/book-host.ts';
import type { BlockPlace } from '../../src/translation/memory/block-keys.ts';
import { type NewMemory, placeOf } from '../../src/translation/memory/remember.ts';
import { translateBook } from '../../src/translation/translate-book.ts';
import { bookInput, good } from './book-input.ts';
import { memoryOf } from './book-memory.ts';
import { makeNovel } from './novel.ts';

/** A worker's side, as far as memories go. */
function listener() {
  const memories = new Map<string, NewMemory>();
  const paid: BlockPlace[] = [];
  let told = 0;
  let atTheEnd: { memories: number; paid: number } | undefined;
  const remember = async ({ memories: part, anew }: LearnedPart) => {
    if (anew) memories.clear();
    for (const memory of part) memories.set(placeOf(memory), memory);
    told += part.length;
  };
  const payFor = async (places: readonly BlockPlace[]) => void paid.push(...places);
  const learned = async () => {
    atTheEnd = { memories: memories.size, paid: paid.length };
  };
  let whenFinal: number | undefined;
  const textsAreFinal = async () => {
    whenFinal = memories.size;
  };
  return {
    remember,
    payFor,
    textsAreFinal,
    learned,
    memories,
    whenFinal: () => whenFinal,
    told: () => told,
    atTheEnd: () => atTheEnd,
  };
}

function byPlace(memories: Iterable<NewMemory>): NewMemory[] {
  return [...memories].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

test('most of what a book teaches is told before its end, and in the end all of it', async () => {
  const host = listener();
  const learning = new HostLearning(host);
  const memory = memoryOf([]);
  const onMemories = (memories: readonly NewMemory[]) => learning.more(memories);
  const onTextsFinal = () => learning.textsAreFinal();
  const book = bookInput(makeNovel(120_000), good, { memory, onMemories, onTextsFinal });
  const { memories } = await translateBook(book);
  const before = host.told();
  assert.ok(before > memories.length / 2, `${before} of ${memories.length}`);
  assert.equal(host.whenFinal(), memories.length, 'the host has all of it before the report is made');
  await learning.finish(memories, memories.slice(0, 700));
  assert.deepEqual(byPlace(host.memories.values()), byPlace(memories));
  const paid = Math.min(700, memories.length);
  assert.deepEqual(host.atTheEnd(), { memories: memories.length, paid }, 'told last, when all is there');
  assert.ok(host.told() - before < memories.length / 3, `${host.told() - before} at the end`);
});

test('a text that is changed at the end is told again, and what is no longer right is not remembered', async () => {
  const early = Array.from(
    { length: 250 },
    (_, i): NewMemory => ({
      text: `text ${i}`,
      variant: 1,
      context: i,
      grade: 'translated',
      target: `before ${i}`,
      characters: 10,
    }),
  );
  const revised = early.map((one, i) => (i % 7 === 0 ? { ...one, target: `after ${i}` } : one));
  for (const all of [revised, revised.slice(3)]) {
    const host = listener();
    const learning = new HostLearning(host);
    for (const one of early) learning.more([one]);
    await learning.finish(all, []);
    assert.deepEqual(byPlace(host.memories.values()), byPlace(all));
    assert.equal(host.atTheEnd()?.memories, all.length);
  }
});
