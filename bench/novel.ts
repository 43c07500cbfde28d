/**
 * A whole novel over HTTP through the service as `npm start` starts it, beside the limit of the simulated server: what the
 * good answers of an undisturbed run take it with every slot in use. One table, and a diagram of the slots over time.
 *
 * `node bench/novel.ts [--book FILE] [--characters N] [--chapters N] [--order free] [--record] [--tail] [SCENARIO…]`: without a file a novel is made. `--record` adds
 * the figures to `history.jsonl`, `--tail` tells which calls the end waited for. At a tenth of the server's durations our own are not scaled: it shows what they cost.
 */
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import type { FaultKind } from '../test/support/simulated-llm/faults.ts';
import { cast, makeNovel } from '../test/translation/novel.ts';
import { type MeasuredNovel, measureNovel, server } from './novel-over-http.ts';
import { packEpub } from './pack-epub.ts';
import { addRow, type Row, recordHistory } from './rows.ts';

interface Scenario {
  name: string;
  strategy: 'merge' | 'replace';
  timeScale: number;
  faultRate?: number;
  goal: number;
}

const scenarios: Scenario[] = [
  { name: 'tenth', strategy: 'replace', timeScale: 0.1, goal: 1.25 },
  { name: 'tenth-default', strategy: 'merge', timeScale: 0.1, goal: 1.35 },
  { name: 'tenth-faults', strategy: 'replace', timeScale: 0.1, faultRate: 0.22, goal: 1.7 },
  { name: 'real', strategy: 'replace', timeScale: 1, goal: 1.15 },
  { name: 'real-default', strategy: 'merge', timeScale: 1, goal: 1.12 },
];
/** Of 22 faults three hang; the spend limit and long waits are outages and measured elsewhere. */
const faults: FaultKind[] = [
  ...Array<FaultKind>(3).fill('hang-before'),
  ...Array<FaultKind>(4).fill('rate-limit-none'),
  ...Array<FaultKind>(2).fill('server-500'),
  ...Array<FaultKind>(2).fill('server-503'),
  'overloaded-529',
  'reset',
  'truncation',
  'truncation',
  'empty',
  'bad-json',
  'missing-ids',
  'extra-ids',
  'duplicated-ids',
  'echo',
  'wrong-language',
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    book: { type: 'string' },
    characters: { type: 'string', default: '700000' },
    language: { type: 'string', default: 'en' },
    chapters: { type: 'string' },
    order: { type: 'string', default: 'runs' },
    record: { type: 'boolean', default: false },
    tail: { type: 'boolean', default: false },
  },
});
const book = values.book === undefined ? madeBook(Number(values.characters)) : givenBook(values.book);
const order = values.order === 'free' ? 'free' : 'runs';
const rows: Row[] = [];
const print = (line: string): void => void process.stdout.write(`${line}\n`);
print(`${book.fileName}, load ${loadavg()[0]?.toFixed(1)}`);
print(
  'scenario         ratio  seconds   limit  before   after  analysis  slots   tail  prompt/char  cacheable  calls           faulty  gone  failed  names',
);
/** Of an undisturbed run with the partner's own glossary; proportional to the time scale. */
let workMs: number | undefined;
for (const scenario of scenarios) {
  if (positionals.length > 0 && !positionals.includes(scenario.name)) continue;
  workMs ??= scenario.name === 'tenth' ? undefined : (await measure({ ...scenarioOf('tenth') })).translationWorkMs;
  const measured = await measure(scenario);
  workMs ??= measured.translationWorkMs;
  tell(scenario, measured, (workMs * scenario.timeScale) / server.capacity / 1000);
}
for (const row of rows) addRow(row);
if (values.record) recordHistory(rows);

function scenarioOf(name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found === undefined) throw new Error(`no scenario ${name}`);
  return found;
}

function measure({ strategy, timeScale, faultRate = 0 }: Scenario): Promise<MeasuredNovel> {
  return measureNovel({ ...book, targetLang: 'de', strategy, timeScale, order, faultRate, faults });
}

function tell(scenario: Scenario, measured: MeasuredNovel, limit: number): void {
  const { seconds, calls, slots } = measured;
  print(
    [
      scenario.name.padEnd(14),
      (seconds / limit).toFixed(3).padStart(7),
      seconds.toFixed(1).padStart(8),
      limit.toFixed(1).padStart(7),
      measured.beforeSeconds.toFixed(2).padStart(7),
      measured.afterSeconds.toFixed(2).padStart(7),
      (measured.untilTranslatingSeconds - measured.beforeSeconds).toFixed(2).padStart(9),
      slots.mean.toFixed(1).padStart(6),
      slots.tailSeconds.toFixed(2).padStart(6),
      measured.promptPerCharacter.toFixed(3).padStart(12),
      `${(100 * measured.cacheableShare).toFixed(0)} %`.padStart(10),
      ` ${calls.translate} + ${calls.extract}`.padEnd(15),
      String(calls.faulty).padStart(7),
      String(calls.abandoned).padStart(5),
      String(measured.failedCharacters).padStart(7),
      measured.consistency.toFixed(3).padStart(6),
    ].join(' '),
  );
  print(
    `  slots |${slots.diagram}|  first chapter after ${((100 * measured.firstChapterSeconds) / seconds).toFixed(1)} %`,
  );
  const spent = Object.entries(measured.processor).map(([who, ms]) => `${who} ${(ms / 1000).toFixed(2)}`);
  print(`  processor time, s: ${spent.join(', ')}`);
  if (values.tail)
    for (const { sentBefore, endedBefore, about } of measured.lastCalls)
      print(
        `  ${sentBefore.toFixed(2).padStart(6)} to ${endedBefore.toFixed(2).padStart(5)} s before the end: ${about}`,
      );
  const about = `${book.fileName} (${measured.characters.toLocaleString('en')} characters), ${scenario.name}`;
  const own = ((measured.beforeSeconds + measured.afterSeconds) / measured.characters) * 1e6;
  rows.push(
    {
      name: about,
      value: seconds / limit,
      unit: '× the limit',
      goal: { atMost: scenario.goal },
      limit: `1: ${limit.toFixed(1)} s, what the good answers of an undisturbed run take 32 slots of 600 ms + 20 ms a token, times ${scenario.timeScale}`,
    },
    {
      name: `${about}: prompt`,
      value: measured.promptPerCharacter,
      unit: 'characters per character of the book',
      limit: `1: the text alone; counted by the server; ${(100 * measured.cacheableShare).toFixed(0)} % repeat the beginning of an earlier prompt`,
    },
    {
      name: `${about}: before the first call and after the last answer`,
      value: own,
      unit: 's per million characters',
      goal: { atMost: 0.4 },
      limit: '0: the server is at work all the time',
    },
    {
      name: `${about}: first chapter`,
      value: (100 * measured.firstChapterSeconds) / seconds,
      unit: '% of the whole time',
      limit: `chapters go side by side; when task.chapter_ready of chapter 1 was written; after ${measured.firstChapterSeconds.toFixed(1)} s`,
    },
  );
}

function givenBook(path: string) {
  return { fileName: basename(path), bytes: readFileSync(path), sourceLang: values.language, names: [] };
}

function madeBook(characters: number) {
  const chapters = inChapters(makeNovel(characters).sections).map(({ blocks }) =>
    blocks.map(({ kind, text }) => (kind === 'heading' ? `<h1>${text}</h1>` : `<p>${text}</p>`)).join('\n'),
  );
  const names = cast.map(({ full, first, last, gender }) => ({
    source: full,
    gender: gender === 'male' ? ('m' as const) : ('f' as const),
    aliases: [first, last],
  }));
  return { fileName: 'made-novel.epub', bytes: packEpub(chapters), sourceLang: 'en', names };
}

/** As they are, or the same paragraphs in so many chapters. */
function inChapters(
  sections: ReturnType<typeof makeNovel>['sections'],
): { blocks: (typeof sections)[number]['blocks'] }[] {
  if (values.chapters === undefined) return sections;
  const blocks = sections.flatMap((section) => section.blocks);
  const size = Math.ceil(blocks.length / Number(values.chapters));
  return Array.from({ length: Number(values.chapters) }, (_, i) => ({
    blocks: blocks.slice(i * size, (i + 1) * size),
  }));
}
