import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { openArchive } from '../../src/documents/archive/archive.ts';
import { charactersOf, epubOf, novelNames, type SerialNovel, serialNovel } from '../support/serial-novel.ts';
import { sharedSimulatedEngine } from '../support/simulated-engine-app.ts';
import { type Fields, run } from '../support/task-client.ts';

const names = novelNames.map((source) => ({ source }));
const { app, server } = await sharedSimulatedEngine({ names, extractionNoise: 0.5 });
const { key } = await app.account({ credits: 10_000_000 });
const base = '/api/v1';

const json = (method: string, path: string, body?: unknown) =>
  app.call(method, `${base}${path}`, {
    key,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
const newSeries = async (): Promise<string> =>
  (await json('POST', '/series', { title: 'Salt Harbour', source_lang: 'en', target_lang: 'de' })).body.data.series_id;
const termsOf = async (series_id: string): Promise<{ source: string; target: string; origin: string }[]> =>
  (await json('GET', `/series/${series_id}/terms?limit=100`)).body.data.terms;

/** Translates a book in a series. */
const translate = (series_id: string, novel: SerialNovel, more: Fields = {}) =>
  run(app, key, { action: 'translation', series_id, estimated_chars: 1, ...more }, { file: epubOf(novel) });
const again = (series_id: string, source_task_id: string, more: Fields = {}) =>
  run(app, key, { action: 'translation', series_id, source_task_id, ...more });

async function bytesOf(task_id: string, fileId = 'translated'): Promise<Uint8Array> {
  const { body } = await app.call('GET', `${base}/tasks/${task_id}/download?file_id=${fileId}`, { key });
  return new Uint8Array(await (await fetch(body.data.download_url)).arrayBuffer());
}

/** The paragraphs of every chapter of the translated book. */
async function chaptersOf(task_id: string): Promise<string[][]> {
  const archive = openArchive(await bytesOf(task_id));
  const chapters: string[][] = [];
  for (let i = 1; archive.has(`c${String(i).padStart(3, '0')}.xhtml`); i++) {
    const page = Buffer.from(archive.read(`c${String(i).padStart(3, '0')}.xhtml`) ?? []).toString('utf8');
    chapters.push([...page.matchAll(/<(h1|p)\b[^>]*>(.*?)<\/\1>/gs)].map((match) => match[2] as string));
  }
  return chapters;
}

const novel = serialNovel(24);
const firstBook = { chapters: novel.chapters.slice(0, 21) };

/** One series through a year, each test a book later: most of what it costs to run is the first book. */
const series_id = await newSeries();
await json('PUT', `/series/${series_id}/terms`, { terms: [{ source: 'Iron Gate', target: 'Eisentor' }] });
const january = await translate(series_id, firstBook);
const januaryChapters = await chaptersOf(january.task_id);

test('new chapters: the same EPUB with three chapters more costs exactly those three', async () => {
  assert.equal(january.credits_charged, january.char_count);
  server.log.reset();
  const february = await translate(series_id, novel);
  const added = charactersOf(novel.chapters.slice(21).flat());
  assert.equal(february.coverage.translated, added);
  assert.equal(february.credits_charged, added);
  const asked = server.log.calls.filter(({ task }) => task === 'translate');
  assert.ok(asked.length > 0 && asked.every(({ sourceCharacters }) => sourceCharacters <= added * 1.1));
  const after = await chaptersOf(february.task_id);
  assert.deepEqual(after.slice(0, 21), januaryChapters);
  assert.equal(after.length, 24);
});

test('a new edition: an inserted paragraph and a mended typo redo at most themselves and their neighbours', async () => {
  const inserted =
    'A stranger in a grey coat asked for the key of the lighthouse, and nobody gave it to him that night.';
  const edition = structuredClone(firstBook);
  edition.chapters[1]?.splice(3, 0, inserted);
  const [, typo = ''] = edition.chapters[8] ?? [];
  edition.chapters[8]?.splice(1, 1, typo.replace('nobody', 'noone'));
  const second = await translate(series_id, edition);
  const touched = inserted.length + charactersOf([typo]);
  const short = charactersOf(['“Yes.”', 'Chapter 9']);
  assert.ok(
    second.credits_charged >= touched - 10 && second.credits_charged <= touched + 2 * short,
    String(second.credits_charged),
  );
  const after = await chaptersOf(second.task_id);
  // Read around the insertion: what stood there stands there still, in its order, and the new paragraph between.
  const around = after[1] ?? [];
  assert.deepEqual([...around.slice(0, 3), ...around.slice(4)], januaryChapters[1]);
  assert.notEqual(around[3], inserted);
  assert.ok((around[3]?.length ?? 0) > 40);
  for (const [i, chapter] of after.entries()) if (i !== 1 && i !== 8) assert.deepEqual(chapter, januaryChapters[i]);
});

test('a glossary revision: exactly the paragraphs with the changed name are redone, all others are the same word for word', async () => {
  await json('PUT', `/series/${series_id}/terms`, { terms: [{ source: 'Iron Gate', target: 'Irongate' }] });
  const revised = await again(series_id, january.task_id);
  const withName = firstBook.chapters.flat().filter((text) => text.includes('Iron Gate'));
  assert.ok(withName.length > 10);
  assert.equal(revised.credits_charged, charactersOf(withName));
  const after = await chaptersOf(revised.task_id);
  for (const [i, chapter] of firstBook.chapters.entries()) {
    for (const [j, text] of chapter.entries()) {
      if (text.includes('Iron Gate')) assert.match(after[i]?.[j] ?? '', /Irongate/);
      else assert.equal(after[i]?.[j], januaryChapters[i]?.[j]);
    }
  }
});

test('the correction loop: forty edited paragraphs make a new book for nothing, and steer the next volume', async () => {
  const xliff = Buffer.from(await bytesOf(january.task_id, 'xliff')).toString('utf8');
  let edited = 0;
  const corrected = xliff.replace(/(<target [^>]*>)([^<]{30,}<g)/g, (whole, open: string, text: string) =>
    edited++ < 40 ? `${open}Number ${edited} by hand: ${text}` : whole,
  );
  const headers = { 'content-type': 'application/xliff+xml' };
  const path = `${base}/series/${series_id}/corrections`;
  const { data } = (await app.call('POST', path, { key, headers, body: corrected })).body;
  assert.deepEqual([data.taken, data.refused], [40, 0]);
  const second = await again(series_id, january.task_id);
  assert.equal(second.credits_charged, 0);
  const after = (await chaptersOf(second.task_id)).flat();
  assert.equal(after.filter((text) => /^Number \d+ by hand: /.test(text)).length, 40);
  // Volume two quotes a paragraph of volume one.
  const quoted = firstBook.chapters[0]?.[1] ?? '';
  const volume = await translate(series_id, { chapters: [['Prologue', quoted], ...novel.chapters.slice(20, 23)] });
  assert.match((await chaptersOf(volume.task_id))[0]?.[1] ?? '', /^Number 1 by hand: /);
});

test('two volumes at once: their names agree although neither was finished', async () => {
  const series_id = await newSeries();
  const volumes = [novel.chapters.slice(0, 12), novel.chapters.slice(12)].map((chapters) => ({ chapters }));
  const tasks = await Promise.all(volumes.map((volume) => translate(series_id, volume)));
  const terms = await termsOf(series_id);
  assert.deepEqual(terms.map(({ source }) => source).toSorted(), novelNames.toSorted());
  for (const [v, task] of tasks.entries()) {
    const chapters = await chaptersOf(task.task_id);
    for (const [i, chapter] of (volumes[v]?.chapters ?? []).entries()) {
      for (const [j, text] of chapter.entries())
        for (const { source, target } of terms)
          if (text.includes(source)) assert.ok(chapters[i]?.[j]?.includes(target), `${source} in volume ${v + 1}`);
    }
  }
});

test('a preview, then the book: the preview is part of it and is not paid twice', async () => {
  const series_id = await newSeries();
  const book = { chapters: novel.chapters.slice(0, 10) };
  const preview = await run(
    app,
    key,
    { action: 'preview_translation', series_id, char_limit: 600, skip_front_matter: 'true' },
    { file: epubOf(book) },
  );
  assert.equal(preview.credits_charged, preview.char_count);
  const estimate = await run(app, key, { action: 'token_estimate', series_id, source_task_id: preview.task_id });
  const full = await again(series_id, estimate.task_id);
  assert.equal(full.credits_charged, estimate.billable_characters);
  assert.ok(full.credits_charged < full.char_count - 400, `${full.credits_charged} of ${full.char_count}`);
  const [begun, whole] = await Promise.all([chaptersOf(preview.task_id), chaptersOf(full.task_id)]);
  assert.deepEqual(whole[0]?.slice(0, 3), begun[0]?.slice(0, 3));
});

test('the story so far and the names that are known reach the analysis of the next volume, bounded', async () => {
  const series_id = await newSeries();
  const first = await translate(series_id, { chapters: novel.chapters.slice(0, 20) });
  assert.equal(first.status, 'completed');
  const { rows } = await app.application.database.pool.query('select synopsis from series where id = $1', [series_id]);
  const story: string = rows[0].synopsis;
  assert.ok(story.length > 0 && story.length <= 1_500, story);
  server.log.reset();
  await translate(series_id, { chapters: novel.chapters.slice(20, 23) });
  const asked = server.log.calls.filter(({ task }) => task === 'extract');
  assert.ok(asked.length > 0 && asked.every(({ data }) => data.includes(story.slice(0, 40))), 'in every analysis');
  const found = (await termsOf(series_id)).filter(({ origin }) => origin === 'extracted');
  for (const { data } of asked) {
    const [head = '', text = ''] = data.split(/\nText:\n|\nPassages:\n/u);
    const [before = '', candidates = ''] = head.split(/\nCandidates/u);
    const there = found.filter(({ source }) => text.includes(source));
    assert.ok(there.length > 0);
    for (const { source, target } of there) {
      assert.ok(before.includes(source) && before.includes(target), `${source} is known as ${target}`);
      assert.ok(!new RegExp(`\\b${source}\\b`, 'u').test(candidates), `${source} is not asked about again`);
    }
  }
});

test('a task that accepts no draft pays for a paragraph once, also where the series remembers a draft of it', async () => {
  const series_id = await newSeries();
  const order = { action: 'translation', series_id, text: novel.chapters[0]?.[1] ?? '', accept_draft: 'false' };
  await run(app, key, order);
  // As if a draft engine had made it.
  await app.application.database.pool.query(
    'update memory_blocks set grade = 1 where memory_id in (select id from memories where series_id = $1)',
    [series_id],
  );
  const anew = await run(app, key, order);
  assert.equal(anew.credits_charged, anew.char_count);
  assert.equal((await run(app, key, order)).credits_charged, 0);
});
