import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExtractResult } from '../../src/engines/engine.ts';
import { EngineError } from '../../src/engines/engine-error.ts';
import { type AnalyseInput, analyseBook } from '../../src/translation/analyse-book.ts';

const paragraph =
  'The river rose all night, and in the morning Odile went down to the mill to see what it had left of the wheel.';
/** Twenty chunks and more. */
const sections = Array.from({ length: 40 }, (_, i) =>
  Array.from({ length: 60 }, (_, k) => `${paragraph} It was day ${i} and hour ${k}.`),
);
const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };

function analyse(extractTerms: AnalyseInput['extractTerms']) {
  const saved: string[] = [];
  const analysis = analyseBook({
    sections,
    sourceLang: 'en',
    targetLang: 'de',
    supplied: [],
    strategy: 'merge',
    reading: 'whole',
    extractTerms,
    concurrency: 32,
    saved: [],
    save: async ({ kind }) => void saved.push(kind),
  });
  return { analysis, saved };
}

test('a long book whose engine is away when it begins waits for its names instead of going on without', async () => {
  let calls = 0;
  const { analysis, saved } = analyse(async (): Promise<ExtractResult> => {
    calls++;
    throw new EngineError('transport', 'nobody answers');
  });
  await assert.rejects(analysis, /nobody answers/);
  assert.equal(calls, 4);
  assert.deepEqual(saved, []);
});

test('an engine that cannot tell names is asked four times, and the book goes on without', async () => {
  let calls = 0;
  const { analysis, saved } = analyse(async (): Promise<ExtractResult> => {
    calls++;
    throw new EngineError('malformed', 'no list');
  });
  const { terms, chunks, incompleteChunks } = await analysis;
  assert.equal(calls, 4);
  assert.deepEqual([terms, chunks > 8, incompleteChunks === chunks, saved], [[], true, true, ['frozen']]);
});

test('one chunk that no engine could be reached for costs its names and not the book', async () => {
  let calls = 0;
  const { analysis } = analyse(async (): Promise<ExtractResult> => {
    if (++calls === 2) throw new EngineError('timeout', 'too late');
    return { terms: [], digest: '', finish: 'complete', usage };
  });
  const { chunks, incompleteChunks } = await analysis;
  assert.deepEqual([calls, incompleteChunks], [chunks, 1]);
});
