/**
 * A book keeps its voice: how people address each other, the tense and a nickname, although the model settles them anew in every call unless
 * it is told. Counted are the paragraphs of the delivered book that differ from the one before: in free order, in runs, and in runs whose voice
 * is told for the whole book.
 * Size: characters of each book. `npm run prove one-voice [SIZE] [SEED] [FILE:LANGUAGE…]` takes books of your own instead of made ones.
 */
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { planRuns } from '../../src/translation/plan/runs.ts';
import { planSegments } from '../../src/translation/plan/segment.ts';
import { readDocument } from '../documents/read-and-write.ts';
import { madeBook } from '../support/made-book.ts';
import { proofRun } from '../support/proof.ts';
import { startWithSettings } from '../support/simulated-engine-app.ts';
import { type Voice, voices } from '../support/simulated-llm/forgetful.ts';
import { create, untilEnded } from '../support/task-client.ts';
import type { TestApp } from '../support/test-app.ts';

const { size, seed, names: files } = proofRun({ short: 25_000, long: 400_000 });

interface Book {
  name: string;
  language: string;
  bytes: Uint8Array<ArrayBuffer>;
}

const books: Book[] =
  files.length === 0
    ? ['de', 'fr', 'zh'].map((language) => ({
        name: `made-${language}.md`,
        language,
        bytes: new TextEncoder().encode(madeBook(language, size, seed)),
      }))
    : files.map((file) => {
        const [path = '', language = 'en'] = file.split(':');
        return { name: basename(path), language, bytes: new Uint8Array(readFileSync(path)) };
      });

/** Those of the service: see `startWithSettings`. */
const slots = 24;
const model = { seed, forgetful: true, timeScale: 0.001 };
const { app: inFreeOrder } = await startWithSettings({ TOLEDO_ORDER: 'free' }, model);
const { app: inRuns } = await startWithSettings({}, model);

for (const book of books) {
  test(`${book.name} keeps its voice inside every run, and throughout where the voice is told`, async (context) => {
    const { targetLang, voice } = targetOf(book);
    const free = await switchesOf(book, inFreeOrder);
    const style = Object.values(voice)
      .map(([one]) => one)
      .join(', ');
    const told = await switchesOf(book, inRuns, style);
    const runs = await switchesOf(book, inRuns);
    context.diagnostic(JSON.stringify({ book: book.name, targetLang, free, runs, told }));
    assert.ok(free.insideRuns > 0, 'the model forgets');
    assert.equal(runs.insideRuns, 0, 'no switch where the text before is known in translation');
    assert.deepEqual([told.insideRuns, told.atSeams], [0, 0], 'no switch where the voice is told');
  });
}

function targetOf({ language }: Book): { targetLang: string; voice: Voice } {
  const targetLang = language === 'de' ? 'fr' : 'de';
  return { targetLang, voice: voices[targetLang] ?? assert.fail(targetLang) };
}

interface Switches {
  paragraphs: number;
  runs: number;
  /** Of address, tense and nickname together, for 1,000 paragraphs. */
  per1000: number;
  insideRuns: number;
  atSeams: number;
}

async function switchesOf(book: Book, app: TestApp, style?: string): Promise<Switches> {
  const { name, language, bytes } = book;
  const { targetLang, voice } = targetOf(book);
  // An account of its own each time: what another run has translated is not remembered.
  const { key } = await app.account({ credits: 20_000_000 });
  const fields = {
    action: 'translation',
    estimated_chars: bytes.length,
    source_lang: language,
    target_lang: targetLang,
    glossary: {},
    glossary_strategy: 'replace',
    ...(style === undefined
      ? {}
      : { series_id: await seriesWith(app, key, { sourceLang: language, targetLang, style }) }),
  };
  const created = await create(app, key, fields, { file: { content: bytes, fileName: name } });
  assert.equal(created.status, 201, created.text);
  const task = await untilEnded(app, key, created.body.data.task_id);
  assert.equal(task.status, 'completed', JSON.stringify(task));
  const delivered = await deliveredText(app, key, task.task_id);
  const { document } = readDocument(Buffer.from(bytes), { fileName: name });
  const { segments } = planSegments(document.sections, { language });
  const runs = planRuns(
    segments.map((segment) => ({ segment })),
    slots,
  );
  const firstOfRuns = new Set(runs.map(([first]) => first?.segment.units[0]?.blockId));
  const ids = document.sections.flatMap(({ blocks }) => blocks.map(({ id }) => id));
  assert.deepEqual([...delivered.keys()], ids, 'a paragraph for a paragraph');
  return { runs: runs.length, ...countSwitches([...delivered.values()], ids, firstOfRuns, voice) };
}

/** Of every chapter, by block. A file read again may have other paragraphs: lines that were wrapped, a page about the translation. */
async function deliveredText(app: TestApp, key: string, taskId: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const path = `/api/v1/tasks/${taskId}/chapters`;
  const { chapters } = (await app.call('GET', path, { key })).body.data;
  for (const { index } of chapters as { index: number }[]) {
    const { blocks } = (await app.call('GET', `${path}/${index}`, { key })).body.data;
    for (const { id, translation } of blocks) texts.set(id, translation ?? '');
  }
  return texts;
}

/** What a series says of its style is told to every call of its books. */
async function seriesWith(
  app: TestApp,
  key: string,
  { sourceLang, targetLang, style }: Record<'sourceLang' | 'targetLang' | 'style', string>,
): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ title: 'One voice', source_lang: sourceLang, target_lang: targetLang, style });
  const created = await app.call('POST', '/api/v1/series', { key, headers, body });
  assert.equal(created.status, 201, created.text);
  return created.body.data.series_id;
}

function countSwitches(
  texts: readonly string[],
  ids: readonly string[],
  firstOfRuns: ReadonlySet<string | undefined>,
  voice: Voice,
): Omit<Switches, 'runs'> {
  let [insideRuns, atSeams, paragraphs] = [0, 0, 0];
  let isSeam = false;
  let before: (string | undefined)[] | undefined;
  for (const [i, text] of texts.entries()) {
    isSeam ||= firstOfRuns.has(ids[i]);
    const chosen = Object.values(voice).map(([one, other]) => {
      const [at, otherAt] = [text.lastIndexOf(one), text.lastIndexOf(other)];
      return at < 0 && otherAt < 0 ? undefined : at > otherAt ? one : other;
    });
    if (chosen.includes(undefined)) continue;
    paragraphs++;
    const changed = before === undefined ? 0 : chosen.filter((choice, at) => choice !== before?.[at]).length;
    if (isSeam) atSeams += changed;
    else insideRuns += changed;
    isSeam = false;
    before = chosen;
  }
  return { paragraphs, per1000: Math.round((1000 * (insideRuns + atSeams)) / paragraphs), insideRuns, atSeams };
}
