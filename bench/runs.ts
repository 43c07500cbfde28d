/**
 * When a novel and its chapters are done in runs, beside the same calls in free order: the planner and the queue as the pipeline has
 * them, answers that take 600 ms and 20 ms a token, give or take a fifth. Nothing waits, so it takes seconds.
 * `node bench/runs.ts [FILE LANGUAGE]`: without a file a made novel, in 40 chapters and in five. One JSON line for each number of slots.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Section } from '../src/documents/document.ts';
import { planRuns, RunQueue, workOf } from '../src/translation/plan/runs.ts';
import { planSegments, type Segment } from '../src/translation/plan/segment.ts';
import { readDocument } from '../test/documents/read-and-write.ts';
import { story } from '../test/support/texts.ts';

interface Task {
  segment: Segment;
}

const [file, language = 'en'] = process.argv.slice(2);
const books: [string, readonly Section[]][] =
  file === undefined
    ? [
        ['made novel, 40 chapters', madeNovel(40)],
        ['made novel, 5 chapters', madeNovel(5)],
      ]
    : [[basename(file), readDocument(readFileSync(file)).document.sections]];

for (const [book, sections] of books) {
  const tasks: Task[] = planSegments(sections, { language }).segments.map((segment) => ({ segment }));
  for (const slots of [8, 16, 32]) {
    const started = performance.now();
    const runs = planRuns(tasks, slots);
    const planMs = performance.now() - started;
    const limit = tasks.reduce((sum, task) => sum + secondsOf(task), 0) / slots;
    const free = measure(
      tasks.map((task) => [task]),
      slots,
    );
    const inRuns = measure(runs, slots);
    console.log(
      JSON.stringify({
        book,
        slots,
        segments: tasks.length,
        runs: runs.length,
        limit_seconds: rounded(limit, 1),
        free: rounded(free.makespan / limit, 3),
        in_runs: rounded(inRuns.makespan / limit, 3),
        median_chapter_free_percent: rounded((100 * free.medianChapter) / free.makespan, 0),
        median_chapter_percent: rounded((100 * inRuns.medianChapter) / inRuns.makespan, 0),
        plan_ms: rounded(planMs, 0),
      }),
    );
  }
}

function madeNovel(chapters: number): Section[] {
  return Array.from({ length: chapters }, (_, i) => ({
    title: `Chapter ${i + 1}`,
    blocks: story(Math.round(700_000 / chapters), 700 + i)
      .split('\n\n')
      .filter((text) => text !== '')
      .map((text, n) => ({ id: `c${i}b${n}`, kind: 'paragraph' as const, text, characters: text.length })),
  }));
}

/** The same answers for both orders; the planner does not know how long each of them takes. */
function secondsOf({ segment }: Task): number {
  const luck = ((segment.index * 2654435761) >>> 0) / 2 ** 32;
  return 0.6 + 0.02 * (segment.load * 1.15 + segment.units.length * 4) * (0.8 + 0.4 * luck);
}

function measure(runs: readonly (readonly Task[])[], slots: number): { makespan: number; medianChapter: number } {
  const queue = new RunQueue(runs, { slots, workOf: (task) => workOf(task) });
  const calls: { task: Task; ends: number }[] = [];
  const chapters = new Map<number, number>();
  for (let now = 0; ; ) {
    for (let task = queue.take(); task !== undefined; task = calls.length < slots ? queue.take() : undefined)
      calls.push({ task, ends: now + secondsOf(task) });
    calls.sort((a, b) => a.ends - b.ends);
    const ended = calls.shift();
    if (ended === undefined) {
      const ends = [...chapters.values()].sort((a, b) => a - b);
      return { makespan: now, medianChapter: ends[ends.length >> 1] ?? now };
    }
    now = ended.ends;
    chapters.set(ended.task.segment.section, now);
    queue.handOn(ended.task);
  }
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
