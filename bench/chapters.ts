/**
 * When the first chapter of a novel can be read, and what working from the front costs: a book of 700,000 characters in 40 chapters
 * through the pipeline, with an engine whose answers take time by their length. Lanes are
 * scheduled as the pool does it, without waiting; prints one JSON line per number of lanes.
 */
import type { Document } from '../src/documents/document.ts';
import { planSegments, type Segment } from '../src/translation/plan/segment.ts';
import { inOrderOfWork } from '../src/translation/translate-segments.ts';
import { story } from '../test/support/texts.ts';

const chapters = 40;
const characters = 700_000;
/** Of a typical hosted model: the first token, and each one after it. */
const latencySeconds = 1;
const secondsPerLoad = 0.02;
/** Extraction reads the book in chunks of this size before the first segment. */
const chunkCharacters = 12_000;
const extractionSeconds = 6;

const sections = Array.from({ length: chapters }, (_, i) => ({
  title: `Chapter ${i + 1}`,
  blocks: story(Math.round(characters / chapters), 700 + i)
    .split('\n\n')
    .filter((text) => text !== '')
    .map((text, n) => ({ id: `c${i}b${n}`, kind: 'paragraph' as const, text, characters: text.length })),
})) satisfies Document['sections'];
const { segments } = planSegments(sections, { language: 'en', maxInputCharacters: 6_000 });
const tasks = segments.map((segment) => ({ segment }));
const longestFirst = tasks.toSorted((a, b) => b.segment.load - a.segment.load || a.segment.index - b.segment.index);

/** The same answers for both orders. */
const duration = (index: number, load: number) =>
  latencySeconds + load * secondsPerLoad * (0.8 + 0.4 * (((index * 2654435761) >>> 0) / 2 ** 32));

function measure(work: readonly { segment: Segment }[], lanes: number) {
  const analysis = Math.ceil(characters / chunkCharacters / lanes) * extractionSeconds;
  const free = Array.from({ length: lanes }, () => analysis);
  let firstChapter = 0;
  for (const { segment } of work) {
    const end = Math.min(...free) + duration(segment.index, segment.load);
    free[free.indexOf(Math.min(...free))] = end;
    if (segment.section === 0) firstChapter = Math.max(firstChapter, end);
  }
  return { firstChapter, makespan: Math.max(...free) };
}

const tenths = (value: number) => Math.round(value * 10) / 10;
for (const lanes of [8, 16, 32]) {
  const before = measure(longestFirst, lanes);
  const after = measure(inOrderOfWork(tasks, lanes), lanes);
  console.log(
    JSON.stringify({
      lanes,
      segments: segments.length,
      first_chapter_percent_longest_first: tenths((100 * before.firstChapter) / before.makespan),
      first_chapter_percent: tenths((100 * after.firstChapter) / after.makespan),
      makespan_longer_percent: tenths((100 * after.makespan) / before.makespan - 100),
    }),
  );
}
