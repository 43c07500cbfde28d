import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describeDocument } from '../../src/documents/metadata.ts';
import { readTxt } from '../../src/documents/txt/read-txt.ts';
import { countSourceTokens, estimateTokens } from '../../src/language/estimate-run-tokens.ts';
import { languageSamples } from './language-samples.ts';

const plan = { sourceLang: 'en', targetLang: 'fr', segments: 3, overheadTokensPerSegment: 500, analysisRatio: 1 };

test('the source of a short text is counted exactly', () => {
  const texts = Object.values(languageSamples).slice(0, 20);
  assert.equal(
    countSourceTokens(texts),
    texts.reduce((sum, text) => sum + countTokens(text), 0),
  );
});

test('a long book is extrapolated to within 5 %', () => {
  const codes = ['en', 'fr', 'de', 'es', 'it', 'pt', 'nl'];
  const texts = Array.from({ length: 1500 }, (_, i) => languageSamples[codes[i % 7] as string] as string);
  const exact = texts.slice(0, 7).reduce((sum, text) => sum + countTokens(text), 0) * (1500 / 7);
  assert.ok(Math.abs(countSourceTokens(texts) / exact - 1) < 0.05);
});

test('the estimate adds the analysis and overhead per segment and gives the output as a range', () => {
  const estimate = estimateTokens([languageSamples.en as string], plan);
  assert.equal(estimate.inputTokens, 2 * estimate.sourceTokens + 1500);
  assert.ok(
    estimate.outputTokens.low < estimate.sourceTokens * 1.1 && estimate.outputTokens.high > estimate.sourceTokens * 1.1,
  );
  assert.equal(
    estimate.totalTokens,
    estimate.inputTokens + Math.round((estimate.outputTokens.low + estimate.outputTokens.high) / 2),
  );
  assert.deepEqual(estimateTokens([], { ...plan, segments: 0 }), {
    sourceTokens: 0,
    inputTokens: 0,
    outputTokens: { low: 0, high: 0 },
    totalTokens: 0,
  });
});

test('the real length of a translation lies in the range for every pair of sample languages', () => {
  for (const [source, text] of Object.entries(languageSamples)) {
    for (const target of ['en', 'zh-Hans', 'ja', 'fr', 'ru', 'ar']) {
      const { outputTokens, sourceTokens } = estimateTokens([text], {
        ...plan,
        sourceLang: source,
        targetLang: target,
      });
      // The tellings differ in length by up to a sentence in eight, on top of the range.
      const real = countTokens(languageSamples[target] as string);
      assert.ok(
        real > outputTokens.low * 0.7 && real < outputTokens.high * 1.4,
        `${source}→${target} ${real} of ${sourceTokens}`,
      );
    }
  }
});

test('names of control tokens and endless words are text like any other', () => {
  const start = performance.now();
  assert.ok(countSourceTokens(['<|endoftext|>']) > 1);
  assert.ok(countSourceTokens(['a'.repeat(200_000)]) > 1000);
  assert.ok(performance.now() - start < 2000);
});

test('metadata names what preview_metadata promises', () => {
  const { document } = readTxt(readFileSync(new URL('../documents/fixtures/ko.txt', import.meta.url)));
  const metadata = describeDocument(document, { fileName: 'ko.txt', language: { code: 'ko', confidence: 1 } });
  assert.deepEqual(
    { ...metadata, detected_language_confidence: 1, chapters: metadata.chapters.map(({ title }) => title) },
    {
      file_name: 'ko.txt',
      format: 'txt',
      encoding: 'utf-8',
      title: null,
      author: null,
      declared_language: null,
      detected_language: 'ko',
      detected_language_confidence: 1,
      sample_characters: document.characters,
      total_characters: document.characters,
      chapter_count: 4,
      chapters: ['프롤로그', '제1장 등대', '제2장 답장', '에필로그'],
      paragraph_count: 13,
      images: 0,
      ruby: false,
      writing_mode: 'horizontal',
    },
  );
});
