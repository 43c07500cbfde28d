import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectBookLanguage } from '../../src/language/detect-language.ts';
import { parseLanguage, supportedLanguages } from '../../src/language/languages.ts';
import { closeLanguageSamples, languageSamples } from './language-samples.ts';

const first = (text: string, count: number) => [...text].slice(0, count).join('');
const expected = (code: string) => (code === 'zh-Hans' ? 'zh' : code);

test('every language a partner can ask for is recognised on 300 characters', async () => {
  const missing = supportedLanguages.filter((code) => code !== 'no' && languageSamples[code] === undefined);
  assert.deepEqual(missing, []);
  for (const [code, text] of Object.entries(languageSamples)) {
    assert.equal((await detectBookLanguage([first(text, 300)]))?.code, expected(code), code);
  }
});

test('close languages are told apart on 300 characters', async () => {
  for (const [code, text] of Object.entries(closeLanguageSamples)) {
    assert.equal((await detectBookLanguage([first(text, 300)]))?.code, expected(code), code);
  }
});

test('short, mixed and empty text lowers the confidence instead of failing', async () => {
  assert.equal(await detectBookLanguage(['']), undefined);
  assert.equal(await detectBookLanguage(['1984 — *** 12:30']), undefined);
  assert.ok(((await detectBookLanguage(['Hello']))?.confidence ?? 1) < 0.7);
  const { en = '', fr = '' } = languageSamples;
  const mixed = await detectBookLanguage([`${en.repeat(2)}\n${fr.repeat(2)}`]);
  assert.ok((mixed?.confidence ?? 1) < 0.8);
  assert.ok(((await detectBookLanguage([en.repeat(4)]))?.confidence ?? 0) > 0.95);
});

test('a Chinese novel with a line of Japanese is Chinese, and one with traditional characters is zh-Hant', async () => {
  const { 'zh-Hans': hans = '', 'zh-Hant': hant = '' } = languageSamples;
  assert.equal((await detectBookLanguage([`${hans}の${hans}`]))?.code, 'zh');
  assert.equal((await detectBookLanguage([hant + hant]))?.code, 'zh-Hant');
});

test('only languages a partner can ask for are answered, and too little text is no answer', async () => {
  const short = ['Hello world', 'hola', 'ok', 'Mumbo jumbo', 'Ngiyabonga', 'Aloha', 'Sláinte', 'zzz', 'Chapter One'];
  for (const text of short) {
    const found = await detectBookLanguage([text]);
    assert.ok(found === undefined || parseLanguage(found.code) !== undefined, `${text}: ${found?.code}`);
  }
  assert.equal((await detectBookLanguage(['Hello world']))?.code, 'en');
  assert.equal((await detectBookLanguage(['hola']))?.code, 'es');
  assert.equal(await detectBookLanguage(['Anna Karenina']), undefined);
});

test('at 40 characters at most 3 of 79 languages are taken for another', async () => {
  const wrong: string[] = [];
  for (const [code, text] of Object.entries(languageSamples)) {
    const found = await detectBookLanguage([first(text, 40)]);
    if (found !== undefined && found.code !== expected(code)) wrong.push(`${code} as ${found.code}`);
  }
  assert.ok(wrong.length <= 3, wrong.join());
});

test('a licence around a book does not decide its language, with or without the marks of its library', async () => {
  const { en = '', es = '' } = languageSamples;
  const book = Array.from({ length: 12 }, () => es);
  const licence = Array.from({ length: 30 }, () => en);
  const marked = [
    ...licence,
    '*** START OF THE PROJECT GUTENBERG EBOOK ***',
    ...book,
    '*** END OF THE PROJECT GUTENBERG EBOOK ***',
    ...licence,
  ];
  assert.equal((await detectBookLanguage(marked))?.code, 'es');
  assert.ok(((await detectBookLanguage(marked))?.confidence ?? 0) > 0.9);
  assert.equal((await detectBookLanguage([...licence.slice(0, 5), ...book]))?.code, 'es');
});

test('a novel of two languages is never surely one, however they take turns', async () => {
  const { en = '', fr = '' } = languageSamples;
  const parts = (languageAt: (part: number) => string) =>
    Array.from({ length: 24 }, (_, part) => languageAt(part).padEnd(1_000, ' ').slice(0, 1_000));
  const novels = {
    'in turns': parts((i) => (i % 2 === 0 ? en : fr)),
    'half and half': parts((i) => (i < 12 ? en : fr)),
    'a third at the end': parts((i) => (i < 16 ? en : fr)),
    'a letter in the middle': parts((i) => (i >= 11 && i < 14 ? fr : en)),
  };
  for (const [name, novel] of Object.entries(novels)) {
    const found = await detectBookLanguage(novel);
    assert.ok((found?.confidence ?? 1) < 0.9, `${name}: ${found?.code} ${found?.confidence}`);
  }
  assert.ok(((await detectBookLanguage(parts(() => en)))?.confidence ?? 0) > 0.95);
});

test('a long novel is looked at in as many places as a short one', async () => {
  await detectBookLanguage(['warm up']);
  const novel = Array.from({ length: 100 }, () => languageSamples.ru ?? '');
  const timed = async (paragraphs: readonly string[]) => {
    const start = process.cpuUsage();
    await detectBookLanguage(paragraphs);
    return process.cpuUsage(start).user / 1000;
  };
  await timed(novel);
  const short = await timed(novel);
  const long = await timed(Array.from({ length: 30 }, () => novel).flat());
  // Thirty times the text; only finding the stretches grows with it.
  assert.ok(long < 15 * short + 20, `${short} ms, ${long} ms`);
});
