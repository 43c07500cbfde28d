/**
 * Every function that touches partner text takes at most 2.6 times as long for twice the text, for texts generated to be
 * the worst for it. Size: characters of the smaller text; words choose functions by name. Times are
 * processor time of this process, and a suspect is measured again, so that a busy machine does not decide.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { packEpub } from '../../bench/pack-epub.ts';
import type { Block, Section } from '../../src/documents/document.ts';
import { readLines } from '../../src/engines/llm/answer-lines.ts';
import { readTerms } from '../../src/engines/llm/answer-terms.ts';
import { pseudoTranslate } from '../../src/engines/sandbox/pseudo-translate.ts';
import { reduceTerms } from '../../src/glossary/extract.ts';
import { planExtraction } from '../../src/glossary/extraction-plan.ts';
import { combineTerms, parseGlossary } from '../../src/glossary/glossary.ts';
import { findTerms, indexTerms } from '../../src/glossary/match.ts';
import { mineNames } from '../../src/glossary/mine/mine.ts';
import { settleCase } from '../../src/glossary/settle-case.ts';
import { FieldSet, readJsonFields } from '../../src/http/upload/fields.ts';
import { uploadLimits } from '../../src/http/upload/upload-limits.ts';
import { detectBookLanguage } from '../../src/language/detect-language.ts';
import { splitSentences, splitText } from '../../src/language/sentences.ts';
import { defaultLimits } from '../../src/limits.ts';
import { projectTags } from '../../src/project-tags.ts';
import { checkUnits } from '../../src/translation/checks/check.ts';
import { planSegments } from '../../src/translation/plan/segment.ts';
import { assembleBlock, unitsOf } from '../../src/translation/plan/units.ts';
import { freezeTerms, termsOf } from '../../src/translation/term-hints.ts';
import { readDocument, writeDocument } from '../documents/read-and-write.ts';
import { letterCases, endlessTexts as shapes } from '../support/endless-texts.ts';
import { proofRun } from '../support/proof.ts';

const { size, isLong, names } = proofRun({ short: 20_000, long: 100_000 });
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const maxGrowth = 2.6;
const attempts = 20;
/** Short runs are repeated until they take about so long together. */
const measuredMs = 40;
const maxGlossaryTerms = 20_000;
/** Below this a time is mostly noise. */
const smallestMs = 4;

const russian = parseGlossary(
  JSON.stringify({
    'Серебряный Шип': {
      target: 'Silver Thorn',
      aliases: Array.from({ length: 5_000 }, (_, i) => `Серебряный ш${i.toString(36)}`),
    },
  }),
);
const nested = parseGlossary(
  JSON.stringify({ 的: { target: 'of', aliases: Array.from({ length: 300 }, (_, i) => '的'.repeat(i + 2)) } }),
);
const cased = parseGlossary(
  JSON.stringify(Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [letterCases(i), `x${i}`]))),
);

function blockOf(text: string): Block {
  return { id: 'b1', kind: 'paragraph', text, characters: text.length };
}

function sectionsOf(text: string): Section[] {
  const blocks = (text.match(/[\s\S]{1,3000}/g) ?? []).map((part, i) => ({ ...blockOf(part), id: `b${i + 1}` }));
  return [{ title: undefined, blocks }];
}

const functions: Record<string, (text: string) => unknown> = {
  splitSentences: (text) => splitSentences(text, 'en'),
  splitText: (text) => splitText(text, 'en', 1_200),
  'unitsOf and assembleBlock': (text) => {
    const units = unitsOf(blockOf(text), 'en');
    return assembleBlock(
      units,
      units.map((unit) => `${unit.text}!`),
      'de',
    );
  },
  planSegments: (text) => planSegments(sectionsOf(text), { language: 'en' }),
  planExtraction: (text) =>
    planExtraction([text.match(/[\s\S]{1,3000}/g) ?? []], mineNames([text], 'en').candidates, {
      language: 'en',
      concurrency: 8,
    }),
  'findTerms, aliases with one first word': (text) => findTerms(text, russianIndex),
  'findTerms, nested terms': (text) => findTerms(text, nestedIndex),
  'findTerms, letter cases': (text) => findTerms(text, casedIndex),
  settleCase: (text) => settleCase(cased, [text], 'en'),
  termsOf: (text) => termsOf(text, frozenRussian),
  'mineCandidates en': (text) => mineNames([text], 'en').candidates,
  'mineCandidates zh': (text) => mineNames([text], 'zh').candidates,
  'mineCandidates ja': (text) => mineNames([text], 'ja').candidates,
  reduceTerms: (text) =>
    reduceTerms(
      [{ text, terms: [{ source: text.slice(0, 20), target: 'x', type: 'other', gender: 'unknown', aliases: [] }] }],
      [text],
      'en',
    ),
  detectBookLanguage: (text) => detectBookLanguage([text]),
  'read and write txt': (text) => written(text, 'a.txt'),
  'read and write markdown': (text) => written(text, 'a.md'),
  'read and write html': (text) => written(text.startsWith('<html') ? text : `<html><body><p>${text}`, 'a.html'),
  'read and write preformatted html': (text) => written(`<html><body><pre>${text}</pre>`, 'a.html'),
  'read and write epub': (text) => written(packEpub([`<p>${text}</p>`]), 'a.epub'),
  'read the text of a JSON body': (text) => receivedJson(text),
  'read backslashes of a JSON body': (text) => receivedJson('\\'.repeat(text.length)),
  checkUnits: (text) =>
    checkUnits(
      (text.match(/[\s\S]{1,1200}/g) ?? []).map((source, i) => ({
        id: `${i}`,
        kind: 'paragraph',
        source,
        translation: `${source} x`,
        terms: [{ source: 'Alice', target: 'Alice Kelly', partial: false }],
      })),
      { sourceLang: 'en', targetLang: 'de' },
    ),
  projectTags: (text) => (text.match(/[\s\S]{1,1200}/g) ?? []).map((part) => projectTags(part, part, 'de')),
  pseudoTranslate: (text) => (text.match(/[\s\S]{1,1200}/g) ?? []).map((part) => pseudoTranslate(part, 'de', [])),
  readLines: (text) => readLines(`{"t":["1 ${text}"`, { sources: [''] }),
  readTerms: (text) => readTerms(`{"terms":[{"source":"${text}"`, { text } as never),
};

const russianIndex = indexTerms(russian, 'ru');
const nestedIndex = indexTerms(nested, 'zh');
const casedIndex = indexTerms(cased, 'en');
const frozenRussian = freezeTerms(russian, 'ru');

function receivedJson(text: string): unknown {
  try {
    return readJsonFields(JSON.stringify({ text }), new FieldSet(uploadLimits(defaultLimits), { takesText: true }));
  } catch (error) {
    // Half a surrogate pair is refused; that too takes time.
    return error;
  }
}

function written(content: string | Uint8Array, fileName: string): unknown {
  const bytes = Buffer.from(content as string);
  try {
    const { document } = readDocument(bytes, { fileName });
    const texts = new Map(
      document.sections.flatMap(({ blocks }) => blocks.map(({ id, text: own }) => [id, `${own}!`])),
    );
    return writeDocument(bytes, { fileName }, texts, { sourceLang: 'en', targetLang: 'de', variant: 'bilingual' });
  } catch (error) {
    // Many of these texts are refused; that too takes time.
    return error;
  }
}

/** Glossaries of n entries, each the worst for somebody. */
const glossaries: Record<string, (entries: number) => Record<string, unknown>> = {
  'one word in many letter cases': (n) =>
    Object.fromEntries(Array.from({ length: n }, (_, i) => [letterCases(i), { target: 'x', case_sensitive: true }])),
  'aliases with one first word': (n) => ({
    Шип: { target: 'Thorn', aliases: Array.from({ length: n }, (_, i) => `Шип ${i.toString(36)}а`) },
  }),
  'names with shared parts': (n) =>
    Object.fromEntries(Array.from({ length: n }, (_, i) => [`Anna ${i.toString(36)} Kelly`, `安娜${i}`])),
};

const works: Record<string, (glossary: string) => unknown> = {
  parseGlossary: (glossary) => parseGlossary(glossary),
  indexTerms: (glossary) => indexTerms(parseGlossary(glossary), 'ru'),
  combineTerms: (glossary) => {
    const terms = parseGlossary(glossary);
    return combineTerms(
      terms,
      terms.map((term) => ({ ...term, origin: 'extracted' as const })),
    );
  },
};

/** What was worse than linear once, for every run; the long proof takes every function with every shape. */
const worst: Record<string, readonly string[]> = {
  splitSentences: ['initials', 'spaces', 'shortLines'],
  splitText: ['initials', 'tags'],
  'unitsOf and assembleBlock': ['words', 'initials', 'tags'],
  'findTerms, aliases with one first word': ['cyrillic'],
  'findTerms, nested terms': ['han'],
  'findTerms, letter cases': ['capitals'],
  termsOf: ['cyrillic'],
  'mineCandidates zh': ['han'],
  'mineCandidates en': ['capitals'],
  'read and write txt': ['lines', 'words'],
  'read and write markdown': ['links', 'stars', 'spaces'],
  'read and write html': ['html', 'comments'],
  'read and write preformatted html': ['spaces', 'lines'],
  'read and write epub': ['words', 'tags'],
  'read the text of a JSON body': ['spaces'],
  'read backslashes of a JSON body': ['words'],
  checkUnits: ['words'],
  readLines: ['backticks', 'spaces'],
  readTerms: ['spaces'],
};

/**
 * The parser of Markdown joins what opens a link and is none by moving everything behind it: linear in effect up to some ten thousand of them in
 * one paragraph, then quadratic. Who sends more has its file refused when the processor time of a reading is used up.
 */
const parserIsWorseThanLinear = 'links';

const isChosen = (name: string): boolean => names.length === 0 || names.some((word) => name.includes(word));

for (const [name, run] of Object.entries(functions)) {
  const chosen = isLong ? Object.keys(shapes) : (worst[name] ?? []);
  if (chosen.length === 0 || !isChosen(name)) continue;
  test(`${name} takes at most ${maxGrowth} times as long for twice the text`, async () => {
    for (const shape of chosen) {
      // The parser of Markdown takes seconds for what others read in milliseconds.
      const isShorter = name.includes('markdown') && (!isLong || shape === parserIsWorseThanLinear);
      const length = isShorter ? size / 5 : size;
      await assertLinear(run, shapes[shape] as (length: number) => string, length, `${name} on ${shape}`);
    }
  });
}

for (const [name, run] of Object.entries(works)) {
  if (!isChosen(name)) continue;
  test(`${name} takes at most ${maxGrowth} times as long for a glossary twice as large`, async () => {
    const entries = Math.min(5_000, size / 10);
    for (const [shape, make] of Object.entries(glossaries))
      await assertLinear(run, (n) => JSON.stringify(make(n)), entries, `${name} of ${shape}`, maxGlossaryTerms);
  });
}

async function assertLinear(
  run: (input: string) => unknown,
  make: (length: number) => string,
  length: number,
  what: string,
  /** More is refused. */
  largest = Number.POSITIVE_INFINITY,
): Promise<void> {
  // A function that is too fast to measure gets more, until it is not or it is certainly fast enough.
  for (let n = length, doublings = 0; ; n *= 2, doublings++) {
    const small = make(n);
    if ((await processorTime(1, run, small)) < smallestMs && doublings < 3 && 4 * n <= largest) continue;
    const large = make(2 * n);
    // Compiled first, so that the smaller text does not pay for it.
    await run(large);
    let growth = Number.POSITIVE_INFINITY;
    // Collections of garbage add to some measurements; work that grows with the square takes 4 times as long in all of them.
    for (let attempt = 0; attempt < attempts && growth > maxGrowth; attempt++) {
      // Many short runs are one long one, in which no single collection decides.
      const runs = Math.ceil(measuredMs / Math.max(1, await processorTime(1, run, small)));
      const [one, two] = [await processorTime(runs, run, small), await processorTime(runs, run, large)];
      growth = two / one;
    }
    assert.ok(growth <= maxGrowth, `${what}: ${growth.toFixed(2)} times as long from ${n} to ${2 * n}`);
    return;
  }
}

/** Processor time of so many runs together, in milliseconds. */
async function processorTime(runs: number, run: (input: string) => unknown, input: string): Promise<number> {
  // What the measurement before has left behind is not this one's work.
  collectGarbage();
  const before = process.cpuUsage();
  for (let i = 0; i < runs; i++) await run(input);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
