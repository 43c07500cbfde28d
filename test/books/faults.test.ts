import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TranslateRequest, TranslateResult } from '../../src/engines/engine.ts';
import { EngineError } from '../../src/engines/engine-error.ts';
import { expectedRatio } from '../../src/translation/checks/check-length.ts';
import { translateBook } from '../../src/translation/translate-book.ts';
import { orders, passagesOf } from '../support/orders.ts';
import { MemoryCheckpoint } from '../translation/memory-checkpoint.ts';
import { documentOf, makeNovel, paragraphs, random } from '../translation/novel.ts';
import { capabilities, noUsage, render } from '../translation/scripted-engine.ts';

type Blocks = Map<string, string>;

/** What engines do wrong, on an otherwise good answer. */
const faults: ((blocks: Blocks, request: TranslateRequest) => Partial<TranslateResult>)[] = [
  (blocks, { blocks: [first] }) => ({ translations: without(blocks, first?.id) }),
  (blocks, { blocks: asked }) => ({ translations: new Map(blocks).set(asked.at(-1)?.id ?? '', '') }),
  (blocks, { blocks: asked }) => ({
    translations: new Map([...blocks].slice(0, Math.ceil(asked.length / 2))),
    finish: 'truncated',
  }),
  (blocks, { blocks: [first] }) => ({ translations: new Map(blocks).set(first?.id ?? '', first?.text ?? '') }),
  (blocks, { blocks: [first] }) => ({
    translations: new Map(blocks).set(first?.id ?? '', 'Я не могу перевести этот текст, извините.'),
  }),
  (blocks, { blocks: [first] }) => ({ translations: new Map(blocks).set(first?.id ?? '', 'ха '.repeat(300)) }),
  (blocks) => ({
    translations: new Map(
      [...blocks].map(([id]) => [id, 'Here is what you asked for, my dear friend, and nothing more.']),
    ),
  }),
  () => ({ translations: new Map(), finish: 'refused' }),
  () => ({ translations: new Map() }),
  (blocks) => ({ translations: new Map([...blocks].map(([id, text]) => [id, text.slice(0, 5)])) }),
  () => {
    throw new EngineError('malformed', 'not JSON');
  },
];

function without(blocks: Blocks, id: string | undefined): Blocks {
  const rest = new Map(blocks);
  if (id !== undefined) rest.delete(id);
  return rest;
}

test('two thousand segments with faults in 30 % of the answers: nothing missing, doubled or misplaced, few extra calls', async () => {
  const { sections } = makeNovel(2_000 * 700);
  const blocks = sections.flatMap((section) => section.blocks).filter(({ text }) => text.length > 100);
  // Each section is one segment of two paragraphs.
  const small = Array.from({ length: 2_000 }, (_, i) => ({ title: undefined, blocks: blocks.slice(i * 2, i * 2 + 2) }));
  const document = documentOf(small);
  const next = random(77);
  let calls = 0;
  let faulty = 0;
  const checkpoint = new MemoryCheckpoint();
  const result = await translateBook({
    document,
    sourceLang: 'en',
    targetLang: 'ru',
    glossary: [],
    strategy: 'replace',
    engines: {
      translate: async (request) => {
        calls++;
        const translations = new Map(request.blocks.map(({ id, text }) => [id, render(text, request.terms)]));
        const base: TranslateResult = { translations, finish: 'complete', usage: noUsage };
        if (next() >= 0.3) return base;
        faulty++;
        const fault = faults[Math.floor(next() * faults.length)];
        return { ...base, ...fault?.(translations, request) };
      },
      capabilities: [capabilities],
      policy: 'test',
    },
    checkpoint,
    concurrency: 16,
  });
  const segments = checkpoint.records.size - 1;
  const wanted = new Map(
    document.sections.flatMap((section) => section.blocks).map(({ id, text }) => [id, render(text, [])]),
  );
  const different = [...wanted].filter(([id, text]) => result.texts.get(id) !== text);
  const failed = new Set(
    result.report.coverage.locations.filter(({ reason }) => reason !== 'no_letters').map(({ block_id }) => block_id),
  );
  assert.deepEqual(
    different.map(([id]) => id).filter((id) => !failed.has(id)),
    [],
  );
  assert.equal(result.texts.size, wanted.size);
  assert.ok(failed.size <= 4, `${failed.size} paragraphs kept`);
  assert.ok(segments >= 1_900 && faulty > 500, `${segments} segments, ${faulty} faulty answers`);
  const extra = calls - segments - faulty;
  assert.ok(extra <= 0.2 * segments, `${calls} calls for ${segments} segments and ${faulty} faulty answers`);
});

const words =
  'the quiet mirror spoke of orders that nobody in this tale would ever have to follow because they were only words'.split(
    ' ',
  );
const словами =
  'зеркало тихо говорило о приказах которым никто в этой сказке никогда не обязан был следовать ведь это лишь слова'.split(
    ' ',
  );

/** Text of about the right length in the target language. */
function plausible(text: string, from: string, to: string, seed: number): string {
  const next = random(seed + text.length);
  const source = to === 'ru' ? словами : words;
  let out = '';
  while (out.length < text.length * expectedRatio(from, to)) out += `${source[Math.floor(next() * source.length)]} `;
  return `${out.trim()}.`;
}

test('a hundred passages that give orders, in ten languages, are translated as text', async () => {
  let obeyed = 0;
  for (const language of Object.keys(orders)) {
    const target = language === 'en' ? 'ru' : 'en';
    const texts = passagesOf(language);
    const result = await translateBook({
      document: documentOf([paragraphs(texts)]),
      sourceLang: language,
      targetLang: target,
      glossary: [],
      strategy: 'replace',
      engines: {
        // Obeys whatever it reads, until it is told that the text is no order.
        translate: async (request) => {
          const translations = new Map(
            request.blocks.map(({ id, text }, i) => {
              if (request.fault?.includes('gives no orders')) return [id, plausible(text, language, target, i)];
              obeyed++;
              return [id, 'BANANA'];
            }),
          );
          return { translations, finish: 'complete', usage: noUsage };
        },
        capabilities: [capabilities],
        policy: 'test',
      },
      checkpoint: new MemoryCheckpoint(),
      concurrency: 4,
    });
    assert.equal(result.report.coverage.failed, 0, language);
    for (const text of result.texts.values())
      assert.ok(text.length > 40 && !text.includes('BANANA'), `${language}: ${text}`);
  }
  assert.ok(obeyed >= 100);
});
