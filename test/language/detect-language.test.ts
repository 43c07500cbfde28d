import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectLanguage } from '../../src/language/detect-language.ts';
import { supportedLanguages } from '../../src/language/languages.ts';
import { closeLanguageSamples, languageSamples } from './language-samples.ts';

const first = (text: string, count: number) => [...text].slice(0, count).join('');
const expected = (code: string) => (code === 'zh-Hans' ? 'zh' : code);

test('every language a partner can ask for is recognised on 300 characters', async () => {
  const missing = supportedLanguages.filter((code) => code !== 'no' && languageSamples[code] === undefined);
  assert.deepEqual(missing, []);
  for (const [code, text] of Object.entries(languageSamples)) {
    assert.equal((await detectLanguage(first(text, 300)))?.code, expected(code), code);
  }
});

test('close languages are told apart on 300 characters', async () => {
  for (const [code, text] of Object.entries(closeLanguageSamples)) {
    assert.equal((await detectLanguage(first(text, 300)))?.code, expected(code), code);
  }
});

test('short, mixed and empty text lowers the confidence instead of failing', async () => {
  assert.equal(await detectLanguage(''), undefined);
  assert.equal(await detectLanguage('1984 — *** 12:30'), undefined);
  assert.ok(((await detectLanguage('Hello'))?.confidence ?? 1) < 0.7);
  const { en = '', fr = '' } = languageSamples;
  const mixed = await detectLanguage(`${en.repeat(2)}\n${fr.repeat(2)}`);
  assert.ok((mixed?.confidence ?? 1) < 0.8);
  assert.ok(((await detectLanguage(en.repeat(4)))?.confidence ?? 0) > 0.95);
});

test('a Chinese novel with a line of Japanese is Chinese, and one with traditional characters is zh-Hant', async () => {
  const { 'zh-Hans': hans = '', 'zh-Hant': hant = '' } = languageSamples;
  assert.equal((await detectLanguage(`${hans}の${hans}`))?.code, 'zh');
  assert.equal((await detectLanguage(hant + hant))?.code, 'zh-Hant');
});

test('a whole novel takes less than 50 ms', async () => {
  await detectLanguage('warm up');
  const novel = (languageSamples.ru ?? '').repeat(3000);
  const start = performance.now();
  await detectLanguage(novel);
  assert.ok(performance.now() - start < 50, `${performance.now() - start} ms`);
});
