import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Document } from '../../../src/documents/document.ts';
import { openStorage } from '../../../src/platform/storage/open-storage.ts';
import { packReading } from '../../../src/reading/pack-reading.ts';
import { openPage } from '../../browser/browser.ts';
import { run } from '../../support/task-client.ts';
import { startTestApp } from '../../support/test-app.ts';

const app = await startTestApp();
const account = await app.account();
const { key } = await app.newKey(account.id, 'test');

/** A novel of 3 million characters: 120 chapters of 250 paragraphs of 100 characters. */
const chapterCount = 120;
const paragraphsEach = 250;
const sentence =
  'El viento cambió otra vez sobre el puerto, y Ana cerró la ventana sin mirar a nadie, ni al mar, ni.. ';

function longBook(): { index: string; chapters: Buffer } {
  let number = 0;
  const sections = Array.from({ length: chapterCount }, (_each, i) => ({
    title: `Capítulo ${i + 1}`,
    blocks: Array.from({ length: paragraphsEach }, (_one, j) => ({
      id: `b${++number}`,
      kind: j === 0 ? ('heading' as const) : ('paragraph' as const),
      text: j === 0 ? `Capítulo ${i + 1}` : `${j}. ${sentence}`,
      characters: 100,
    })),
  }));
  const texts = new Map(sections.flatMap(({ blocks }) => blocks.map(({ id, text }) => [id, text] as const)));
  const document = { sections, title: 'Una novela larga', writingMode: 'horizontal' } as unknown as Document;
  const report = { coverage: { locations: [] }, warnings: [], review: { count: 0, paragraphs: [] } } as never;
  const book = { document, texts, terms: [], report, sourceLang: 'es', targetLang: 'en' };
  return packReading(book);
}

async function* bytes(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

test('a novel of 3 million characters opens at once and is never held as a whole', async (t) => {
  const task = await run(app, key, { action: 'translation', text: 'Hola.', source_lang: 'es', target_lang: 'en' });
  const { rows } = await app.application.database.pool.query(
    "select file_id, storage_key from task_outputs where task_id = $1 and file_id like 'reading%'",
    [task.task_id],
  );
  const packed = longBook();
  assert.ok(packed.chapters.length > 6_000_000);
  const storage = await openStorage({ storage: 'file', dataDir: app.dataDir });
  for (const { file_id: fileId, storage_key: path } of rows)
    await storage.put(path, bytes(fileId === 'reading' ? packed.chapters : Buffer.from(packed.index)));
  await storage.close();
  const { body } = await app.call('POST', `/api/v1/tasks/${task.task_id}/reader-link`, { key });

  const { page, faults } = await openPage();
  await page.goto(body.data.url);
  await page.waitForSelector('body[data-ready]');
  const painted = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime");
  const ready = await page.evaluate('performance.now()');
  t.diagnostic(`first paint ${Math.round(Number(painted))} ms, first chapter readable ${Math.round(Number(ready))} ms`);

  const frames = await page.evaluate(`new Promise((resolve) => {
    const times = [];
    const step = (now) => { times.push(now); scrollBy(0, 400); times.length < 60 ? requestAnimationFrame(step) : resolve(times); };
    requestAnimationFrame(step);
  })`);
  const times = frames as number[];
  const gaps = times
    .slice(1)
    .map((time, i) => time - (times[i] ?? 0))
    .sort((a, b) => a - b);
  t.diagnostic(`60 frames of scrolling: median ${gaps[30]?.toFixed(1)} ms, longest ${gaps.at(-1)?.toFixed(1)} ms`);

  await page.click('#toggle-chapters');
  await page.click('#chapter-list li:nth-child(100) button');
  await page.waitForSelector('.block.heading >> text=Capítulo 100');
  assert.ok((await page.locator('.block').count()) < 20 * 150, 'only the chapters around the place are in the page');
  assert.deepEqual(faults, []);
});
