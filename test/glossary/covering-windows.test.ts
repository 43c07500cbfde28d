/** In scripts without capitals an engine reads what shows every repeated string of a book at least once. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ExtractRequest, ExtractResult } from '../../src/engines/engine.ts';
import { coveringWindows } from '../../src/glossary/covering-windows.ts';
import { renderAlias } from '../../src/glossary/name-rendering.ts';
import type { Term } from '../../src/term.ts';
import { type AnalyseInput, analyseBook } from '../../src/translation/analyse-book.ts';
import { readDocument } from '../documents/read-and-write.ts';

const novel = readFileSync(new URL('../../scripts/samples/yunhai-wendao.md', import.meta.url));
const { document } = readDocument(novel, { fileName: 'novel.md' });
const sections = document.sections.map(({ blocks }) => blocks.map(({ text }) => text));
const text = sections.flat().join('\n');
const lists = readFileSync(new URL('../../bench/names-asked/yunhai-wendao.txt', import.meta.url), 'utf8');
const names = lists
  .split('\n')
  .filter((line) => !line.startsWith('#'))
  .flatMap((line) => line.split(' '))
  .filter((name) => name !== '' && text.split(name).length > 3);

test('of a web novel less than half is read, and nearly every name and term that comes three times is in it', () => {
  const read = coveringWindows(sections, 'zh', []);
  assert.equal(read.length, sections.length);
  const seen = read.flat().join('\n');
  assert.ok(seen.length < text.length / 2, `${seen.length} of ${text.length}`);
  const missed = names.filter((name) => !seen.includes(name));
  assert.ok(names.length > 110 && missed.length <= names.length * 0.05, missed.join(' '));
});

test('what is read stands in the book as it is, in its order', () => {
  for (const [i, parts] of coveringWindows(sections, 'zh', []).entries()) {
    const chapter = sections[i]?.join('\n') ?? '';
    let at = 0;
    for (const part of parts.flatMap((window) => window.split('\n'))) {
      at = chapter.indexOf(part, at);
      assert.ok(at >= 0, part);
    }
  }
});

test('a candidate of the statistics is always among what is read', () => {
  const seen = coveringWindows(sections, 'zh', ['龙涎草和紫苏']).flat().join('\n');
  assert.ok(seen.includes('龙涎草和紫苏'));
});

for (const [language, name, sentence] of [
  ['ja', '曾呂崎', '主人は縁側で新聞を読んでいる。'],
  ['ko', '민식', '바람이 불고 비가 내리는 저녁이었다. '],
] as const) {
  test(`a name among ${language} text that says the same again and again is read`, () => {
    const lines = Array.from(
      { length: 400 },
      (_, i) => `${sentence.repeat(6)}${[90, 91, 92].includes(i) ? `${name}が来た。` : ''}`,
    );
    const seen = coveringWindows([lines], language, []).flat().join('\n');
    assert.ok(seen.includes(name));
    assert.ok(seen.length < lines.join('').length / 2);
  });
}

const term = (source: string, target: string): Term => ({
  source,
  target,
  confidence: 1,
  type: 'person',
  gender: 'female',
  aliases: [],
  occurrences: 5,
  origin: 'extracted',
});

test('a given name behind a family name has a rendering of its own', () => {
  assert.equal(renderAlias(term('苏婉儿', "Su Wan'er"), '婉儿'), "Wan'er");
  assert.equal(renderAlias(term('欧阳明月', 'Ouyang Mingyue'), '明月'), 'Mingyue');
  assert.equal(renderAlias(term('김민식', 'Kim Min-sik'), '민식'), 'Min-sik');
  assert.equal(renderAlias(term('白鹤真人', 'Immortal White Crane'), '真人'), undefined);
});

test('what a series has decided is told to the extraction of the next volume, and not asked about again', async () => {
  const requests: ExtractRequest[] = [];
  const input: AnalyseInput = {
    sections,
    sourceLang: 'zh',
    targetLang: 'en',
    supplied: [],
    foundBefore: [term('苏婉儿', "Su Wan'er")],
    strategy: 'merge',
    reading: 'passages',
    extractTerms: async (request): Promise<ExtractResult> => {
      requests.push(request);
      const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
      return { terms: [], digest: '', finish: 'complete', usage };
    },
    concurrency: 8,
    saved: [],
    save: async () => {},
  };
  const { terms, readCharacters } = await analyseBook(input);
  const naming = requests.filter((request) => request.text.includes('苏婉儿'));
  assert.ok(naming.length > 0);
  for (const { known, candidates } of naming) {
    assert.deepEqual(
      known.map(({ source, target }) => [source, target]),
      [['苏婉儿', "Su Wan'er"]],
    );
    assert.ok(!candidates.includes('苏婉儿'));
  }
  assert.deepEqual(
    terms.map(({ source }) => source),
    ['苏婉儿'],
  );
  assert.equal(readCharacters, [...text.replaceAll('\n', '')].length, 'what was read stands for the whole text');
});
