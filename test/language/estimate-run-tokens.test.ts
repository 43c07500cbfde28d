import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { describeDocument } from '../../src/documents/metadata.ts';
import { readTxt } from '../../src/documents/txt/read-txt.ts';
import { estimateRunTokens } from '../../src/language/estimate-run-tokens.ts';
import { estimateTokens } from '../../src/language/estimate-tokens.ts';
import { languageSamples } from './language-samples.ts';

/** Tokens of each sample as o200k_base counts them. */
// biome-ignore format: a table of 79 short entries
const sampleTokens: Readonly<Record<string, number>> = {
  af: 117, am: 565, ar: 116, az: 148, be: 153, bg: 151, bn: 143, bs: 178, ca: 133, cs: 157, cy: 142, da: 123, de:
  99, el: 171, en: 95, eo: 150, es: 123, et: 131, eu: 152, fa: 141, fi: 132, fil: 127, fr: 104, ga: 149, gl: 129,
  gu: 142, he: 152, hi: 138, hr: 173, hu: 161, hy: 155, id: 123, is: 139, it: 127, ja: 173, ka: 144, kk: 152, km:
  230, kn: 141, ko: 153, ky: 139, la: 127, lo: 598, lt: 154, lv: 159, mk: 169, ml: 150, mn: 175, mr: 156, ms: 142,
  my: 222, nb: 117, ne: 168, nl: 100, nn: 123, pa: 162, pl: 146, ps: 149, pt: 120, ro: 141, ru: 119, si: 187, sk:
  154, sl: 133, so: 158, sq: 144, sr: 148, sv: 123, sw: 137, ta: 153, te: 155, th: 164, tr: 133, uk: 146, ur: 135,
  uz: 146, vi: 136, 'zh-Hans': 145, 'zh-Hant': 174,
};

const plan = { sourceLang: 'en', targetLang: 'fr', segments: 3, overheadTokensPerSegment: 500, analysisRatio: 1 };

test('the estimate is within 15 % of a real tokenizer for a scene in every language', () => {
  for (const [language, text] of Object.entries(languageSamples)) {
    const deviation = estimateTokens(text, language) / (sampleTokens[language] as number) - 1;
    assert.ok(Math.abs(deviation) < 0.15, `${language}: ${Math.round(deviation * 100)} %`);
  }
});

test('a foreign passage is counted by its own script', () => {
  const [english, chinese] = [languageSamples.en as string, languageSamples['zh-Hans'] as string];
  const alone = estimateTokens(english, 'en') + estimateTokens(chinese, 'zh-Hans');
  assert.ok(Math.abs(estimateTokens(english + chinese, 'en') / alone - 1) < 0.15);
});

test('the estimate adds the analysis and overhead per segment and gives the output as a range', () => {
  const estimate = estimateRunTokens([languageSamples.en as string], plan);
  assert.equal(estimate.inputTokens, 2 * estimate.sourceTokens + 1500);
  assert.ok(
    estimate.outputTokens.low < estimate.sourceTokens * 1.1 && estimate.outputTokens.high > estimate.sourceTokens * 1.1,
  );
  assert.equal(
    estimate.totalTokens,
    estimate.inputTokens + Math.round((estimate.outputTokens.low + estimate.outputTokens.high) / 2),
  );
  assert.deepEqual(estimateRunTokens([], { ...plan, segments: 0 }), {
    sourceTokens: 0,
    inputTokens: 0,
    outputTokens: { low: 0, high: 0 },
    totalTokens: 0,
  });
});

test('the real length of a translation lies in the range for every pair of sample languages', () => {
  for (const [source, text] of Object.entries(languageSamples)) {
    for (const target of ['en', 'zh-Hans', 'ja', 'fr', 'ru', 'ar']) {
      const { outputTokens, sourceTokens } = estimateRunTokens([text], {
        ...plan,
        sourceLang: source,
        targetLang: target,
      });
      // The tellings differ in length by up to a sentence in eight, on top of the range.
      const real = sampleTokens[target] as number;
      assert.ok(
        real > outputTokens.low * 0.7 && real < outputTokens.high * 1.4,
        `${source}→${target} ${real} of ${sourceTokens}`,
      );
    }
  }
});

test('names of control tokens and endless words are text like any other', () => {
  assert.ok(estimateTokens('<|endoftext|>', 'en') > 1);
  assert.ok(estimateTokens('a'.repeat(200_000), 'en') > 1000);
});

test('metadata names what preview_metadata promises', () => {
  const { document } = readTxt(readFileSync(new URL('../documents/fixtures/ko.txt', import.meta.url)));
  const metadata = describeDocument(document, document, {
    fileName: 'ko.txt',
    language: { code: 'ko', confidence: 1 },
  });
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
      sample: { characters: document.characters, chapters: 4, paragraphs: 13 },
      chapter_count: 4,
      chapters: ['프롤로그', '제1장 등대', '제2장 답장', '에필로그'],
      paragraph_count: 13,
      images: 0,
      ruby: false,
      writing_mode: 'horizontal',
    },
  );
});
