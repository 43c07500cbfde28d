import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { openArchive } from '../../src/documents/archive/archive.ts';
import { smallEpub } from '../documents/small-epub.ts';
import { assertError, create, creditsOf, type Fields, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';

const app = await startTestApp();
const { key } = await app.account({ credits: 100_000 });

const imprint =
  'Copyright © 2026 by the heirs of the ferryman. All rights reserved. No part of this book may be copied without leave.';
const scenes = ['The lamp went out at nine.', 'Nobody on the quay had seen who carried it.'];
const chapter = (number: number) =>
  `<h1>Chapter ${number}</h1>${Array.from({ length: 20 }, (_, i) => `<p>${number}.${i} ${scenes[i % 2]}</p>`).join('')}`;
const book = smallEpub({
  pages: {
    'imprint.xhtml': `<p>${imprint}</p><p>First printing, Harbour Press</p>`,
    'contents.xhtml': '<h1>Contents</h1><p>Chapter 1</p><p>Chapter 2</p>',
    'preface.xhtml': `<h1>Preface</h1><p>${'I found these pages in a drawer of the pilot house. '.repeat(8)}</p>`,
    'one.xhtml': chapter(1),
    'two.xhtml': chapter(2),
  },
});
const file = { content: Buffer.from(book), fileName: 'ferry.epub' };
const preview: Fields = { action: 'preview_translation', target_lang: 'es', source_lang: 'en', char_limit: 200 };

const translated = (taskId: string) =>
  fetch(`${app.rootUrl}/api/tasks/download-file/${taskId}?file_id=translated`, {
    headers: { authorization: `Bearer ${key}` },
  });

async function pagesOf(task: { task_id: string }) {
  const archive = openArchive(new Uint8Array(await (await translated(task.task_id)).arrayBuffer()));
  return (name: string) => (archive.has(name) ? Buffer.from(archive.read(name) ?? []).toString('utf8') : undefined);
}

test('a preview begins at the first chapter of prose when asked; what comes before stays as it is and costs nothing', async () => {
  const before = await creditsOf(app, key);
  const task = await run(app, key, { ...preview, skip_front_matter: 'true' }, { file });
  assert.equal(task.status, 'completed', JSON.stringify(task));
  assert.equal(task.char_count, 200);
  assert.equal((await creditsOf(app, key)).balance, before.balance - 200);
  const page = await pagesOf(task);
  assert.ok(page('imprint.xhtml')?.includes(imprint), 'the imprint is untouched');
  assert.ok(
    page('one.xhtml') !== undefined && !page('one.xhtml')?.includes(scenes[0] as string),
    'the chapter is translated',
  );
  assert.equal(page('two.xhtml'), undefined, 'what lies behind the range is left out');
});

test('without being asked it begins where the book begins', async () => {
  for (const asked of [{}, { skip_front_matter: 'false' }]) {
    const page = await pagesOf(await run(app, key, { ...preview, ...asked } as Fields, { file }));
    assert.ok(!page('imprint.xhtml')?.includes(imprint));
    assert.equal(page('one.xhtml'), undefined);
  }
});

test('plain text is counted from its first chapter on', async () => {
  const front = 'NIGHT FERRY\n\nCopyright 2026. All rights reserved. First printing, Harbour Press.\n\n';
  const prose = (number: number) =>
    `Chapter ${number}\n\n${Array.from({ length: 20 }, (_, i) => `In hour ${i} of day ${number} ${scenes[i % 2]}\n\n`).join('')}`;
  const text = front + [1, 2, 3, 4].map(prose).join('');
  const task = await run(app, key, { ...preview, skip_front_matter: 'true', text });
  assert.equal(task.char_count, 200);
  const written = await (await translated(task.task_id)).text();
  assert.ok(written.startsWith(front.slice(0, 60)), written.slice(0, 200));
  assert.ok(!written.includes(scenes[0] as string) && !written.includes('Chapter 2\n\nIn hour 0 of day 2'), written);
});

test('contents that do not say so are skipped too, and the price is of the chapter alone', async () => {
  const titles = ['I', 'II', 'III', 'IV', 'V', 'VI'].map((numeral, i) => ({
    numeral,
    name: `In which the ferryman rows to the other bank for the ${i + 1}th time, and nobody waits for him.`,
  }));
  const contents = titles.map(({ numeral, name }) => `${numeral}  ${name}`).join('\n');
  const front = `NIGHT FERRY\n\nVolume I (1845)\n\nby the ferryman\n\n${contents}\n\n\n`;
  const chapters = titles.map(
    ({ numeral, name }) =>
      `${numeral}\n\n${name}\n\n${Array.from({ length: 20 }, (_, i) => `In hour ${i} of ${numeral} ${scenes[i % 2]}\n\n`).join('')}`,
  );
  const text = front + chapters.join('');
  const described = await run(app, key, { action: 'preview_metadata', text });
  const found = described.metadata.chapters.map((chapter: { title: string }) => chapter.title);
  assert.equal(found.indexOf('I'), found.length - titles.length, 'chapter I is the first of the six');
  const before = await creditsOf(app, key);
  const task = await run(app, key, { ...preview, skip_front_matter: 'true', text });
  assert.deepEqual([task.char_count, task.coverage.total, task.credits_charged], [200, 200, 200]);
  assert.equal((await creditsOf(app, key)).balance, before.balance - 200);
  const written = await (await translated(task.task_id)).text();
  assert.ok(written.startsWith(front), written.slice(0, 900));
  assert.ok(!written.includes(scenes[0] as string), written);
});

test('estimates and samples follow the same range', async () => {
  const limited = { char_limit: 1_000, skip_front_matter: 'true' };
  const described = await run(app, key, { action: 'preview_metadata', ...limited }, { file });
  const { sample, chapter_count: chapters, total_characters: total } = described.metadata;
  assert.deepEqual([sample.characters, sample.chapters], [1_000, 2]);
  assert.ok(chapters > 2 && total > 1_000, 'everything but the sample is about the whole book');
  const estimate = await run(app, key, { action: 'token_estimate', target_lang: 'es', ...limited }, { file });
  assert.equal(estimate.char_count, 1_000);
});

test('the field is part of the request that an Idempotency-Key stands for', async () => {
  const idempotencyKey = 'front-matter';
  const first = await create(app, key, preview, { file, idempotencyKey });
  const same = await create(app, key, { ...preview, skip_front_matter: 'false' }, { file, idempotencyKey });
  assert.equal(same.body.data.task_id, first.body.data.task_id);
  const other = await create(app, key, { ...preview, skip_front_matter: 'true' }, { file, idempotencyKey });
  assertError(other, 409, 'IDEMPOTENCY_CONFLICT');
});

test('it is true or false, and goes with a limit', async () => {
  const text = scenes.join(' ');
  const wrong = await create(app, key, { ...preview, text, skip_front_matter: 'perhaps' });
  assertError(wrong, 400, 'BAD_REQUEST', { field: 'skip_front_matter', reason: 'UNKNOWN_VALUE' });
  const whole = { action: 'translation', target_lang: 'es', text, skip_front_matter: true as unknown as string };
  assertError(await create(app, key, whole), 400, 'BAD_REQUEST', {
    field: 'skip_front_matter',
    reason: 'MISSING_FIELD',
  });
});
