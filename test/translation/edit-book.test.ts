/** The editing pass over a book in this process: what is asked, and how often. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Document } from '../../src/documents/document.ts';
import type { TranslateRequest } from '../../src/engines/engine.ts';
import { EngineError } from '../../src/engines/engine-error.ts';
import type { BookEditor } from '../../src/translation/editing.ts';
import { translateBook } from '../../src/translation/translate-book.ts';
import { bookInput, good } from './book-input.ts';
import { MemoryCheckpoint } from './memory-checkpoint.ts';
import { documentOf, paragraphs } from './novel.ts';
import { capabilities, noUsage } from './scripted-engine.ts';

const line = (i: number) =>
  `The ferry number ${i} left the harbour before dawn, and nobody on the quay could say who had ordered it to go.`;
const document = documentOf([paragraphs(Array.from({ length: 200 }, (_, i) => line(i)))]);
const edited = (text: string) => text.replace(/\.$/u, '!');

interface Scene {
  edit?: BookEditor['edit'];
  checkpoint?: MemoryCheckpoint;
  book?: Document;
}

async function translated({ edit = editAll, checkpoint = new MemoryCheckpoint(), book = document }: Scene = {}) {
  const asked: TranslateRequest[] = [];
  const editor: BookEditor = {
    capabilities: { ...capabilities, maxInputCharacters: 5_000 },
    edit: (request, options) => {
      asked.push(request);
      return edit(request, options);
    },
  };
  const engines = {
    translate: async (request: TranslateRequest) => good(request),
    editor,
    capabilities: [capabilities],
    policy: 'test',
  };
  const result = await translateBook(bookInput(book, undefined, { engines, checkpoint }));
  return { asked, ...result };
}

const editAll: BookEditor['edit'] = async ({ blocks }) => ({
  changes: new Map(blocks.map(({ id, standing = '' }) => [id, edited(standing)])),
  finish: 'complete',
  usage: noUsage,
});

test('a run is edited in passages that the editor reads, each with the end of the edited one before', async () => {
  const { asked, report, texts } = await translated();
  assert.equal(report.quality, 'refined');
  assert.equal(report.editing?.taken, 200);
  for (const text of texts.values()) assert.match(text, /!$/u);
  assert.ok(asked.length > 3);
  for (const { blocks } of asked) assert.ok(blocks.reduce((sum, { text }) => sum + text.length, 0) <= 5_000);
  const later = asked.filter(({ context }) => context.translatedBefore?.at(-1)?.endsWith('!'));
  assert.ok(later.length >= asked.length - 2, 'but for the first of a run');
});

test('after a crash finished edits are not asked for again', async () => {
  const checkpoint = new MemoryCheckpoint();
  const isEdit = (key: string) => key.startsWith('revision edit-');
  const saved = () => [...checkpoint.records.keys()].filter(isEdit).length;
  checkpoint.beforeSave = () => {
    if (saved() === 3) throw new Error('crash');
  };
  await assert.rejects(translated({ checkpoint }), /crash/u);
  checkpoint.beforeSave = () => {};
  const done = saved();
  assert.equal(done, 3);
  const { asked, report } = await translated({ checkpoint });
  const again = asked.flatMap(({ blocks }) => blocks).length;
  assert.ok(again < 200 && again > 0, `${again} lines`);
  assert.equal(report.editing?.taken, 200);
  const third = await translated({ checkpoint });
  assert.deepEqual([third.asked.length, third.report.editing?.taken], [0, 200]);
});

test('what two runs have in common is saved once, and the book reads as it was saved', async () => {
  const checkpoint = new MemoryCheckpoint();
  const save = checkpoint.save.bind(checkpoint);
  checkpoint.save = (record) => nextTurn().then(() => save(record));
  const lines = Array.from({ length: 60 }, (_, i) => line(i));
  const sections = ['a', 'b'].map((part) => ({
    title: undefined,
    blocks: paragraphs(lines).blocks.map((block) => ({ ...block, id: `${part}-${block.id}` })),
  }));
  const scene = { checkpoint, book: documentOf(sections) };
  let calls = 0;
  const edit: BookEditor['edit'] = async ({ blocks }) => {
    const end = '!'.repeat(++calls);
    const changes = new Map(blocks.map(({ id, standing = '' }) => [id, standing.replace(/\.$/u, end)]));
    return { changes, finish: 'complete', usage: noUsage };
  };
  const { texts } = await translated({ ...scene, edit });
  assert.ok(calls > 1);
  assert.deepEqual((await translated(scene)).texts, texts);
});

test('a passage that is too long is edited in halves', async () => {
  const { report } = await translated({
    edit: async (request, options) => {
      if (request.blocks.length > 7) throw new EngineError('too-long', 'the window is too small');
      return await editAll(request, options);
    },
  });
  assert.deepEqual([report.quality, report.editing?.taken], ['refined', 200]);
});

test('an editor that is away is asked a few times and no more; one of which nothing can be read, some twenty times', async () => {
  const away = await translated({
    edit: async () => {
      throw new EngineError('overloaded', 'away');
    },
  });
  assert.ok(away.asked.length <= 4, `${away.asked.length} calls`);
  assert.equal(away.report.quality, 'standard');
  assert.equal(away.report.editing?.unread_characters, away.report.coverage.translated);
  const talking = await translated({ edit: async () => ({ changes: undefined, finish: 'complete', usage: noUsage }) });
  assert.ok(talking.asked.length <= 20, `${talking.asked.length} calls`);
  assert.equal(talking.report.quality, 'standard');
});
