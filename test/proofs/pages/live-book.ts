import { strict as assert } from 'node:assert';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { defaultTuning } from '../../../src/engines/routing/tuning.ts';
import { pseudoTranslate } from '../../../src/engines/sandbox/pseudo-translate.ts';
import { assertAccessible, assertFits } from '../../browser/accessibility.ts';
import { openPage } from '../../browser/browser.ts';
import { create, until } from '../../support/task-client.ts';
import { startTestApp } from '../../support/test-app.ts';
import { story } from '../../support/texts.ts';

/** A translation server that answers up to a chapter, and holds the rest back until it is told to go on. */
const gate = { upTo: 0, refuses: false, waiting: new Set<() => void>() };
function open(upTo: number, { refuses = false } = {}): void {
  Object.assign(gate, { upTo, refuses });
  for (const look of gate.waiting) look();
}
const engine = createServer(async (request, response) => {
  const answer = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
  if (request.url === '/languages') return answer(200, [{ code: 'en', targets: ['de'] }]);
  let body = '';
  for await (const chunk of request) body += chunk;
  const { q } = JSON.parse(body) as { q: string[] };
  // Years are numbered by book and chapter, so that no book has paragraphs of another.
  const chapter = Number(/(?:Chapter|of year) (\d+)/.exec(q.join('\n'))?.[1]) % 100;
  while (chapter > gate.upTo && !gate.refuses && !response.destroyed)
    await new Promise<void>((resolve) => {
      gate.waiting.add(resolve);
      response.once('close', resolve);
    });
  if (gate.refuses) return answer(400, { error: 'No more today.' });
  return answer(200, { translatedText: q.map((text) => pseudoTranslate(text, 'de', [])) });
});
await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
after(() => {
  engine.closeAllConnections();
  engine.close();
});

// What is held back here is neither a slow server nor a lost call.
const { stragglers, limiter, ...tuning } = defaultTuning;
const app = await startTestApp({
  engineTuning: {
    ...tuning,
    stragglers: { ...stragglers, share: 0, initial: 0, burst: 0, reserve: 0, hopelessMs: 600_000 },
    limiter: { ...limiter, kneeRatio: 1_000_000 },
  },
  env: {
    TOLEDO_ENGINE: 'libretranslate',
    TOLEDO_ENGINE_BASE_URL: `http://127.0.0.1:${(engine.address() as AddressInfo).port}`,
  },
});
const { key } = await app.account({ credits: 1_000_000 });
const chapterCount = 6;
let books = 0;

/** A book whose chapters are as long as the window; `ready` of them are translated. */
async function startBook(ready: number): Promise<string> {
  open(ready);
  books += 1;
  const years = Array.from({ length: chapterCount }, (_each, i) => books * 100 + i + 1);
  const text = years.map((year) => `# Chapter ${year % 100}\n\n${story(2_500, year)}`);
  const { body } = await create(app, key, {
    action: 'translation',
    source_lang: 'en',
    target_lang: 'de',
    glossary_strategy: 'replace',
    file_name: 'lamp.md',
    text: text.join('\n\n'),
  });
  await untilReady(body.data.task_id, ready);
  return body.data.task_id;
}

async function untilReady(taskId: string, count: number): Promise<void> {
  for (let ready = -1; ready !== count; ) {
    const { body } = await app.call('GET', `/api/v1/tasks/${taskId}/chapters`, { key });
    ready = body.data.chapters.filter(({ status }: { status: string }) => status === 'ready').length;
    await sleep(50);
  }
}

/** The clock of the page is ours: it asks for news when we say so. */
async function openReader(taskId: string): Promise<{ page: Page; faults: string[]; later: () => Promise<void> }> {
  const { body } = await app.call('POST', `/api/v1/tasks/${taskId}/reader-link`, {
    key,
    headers: { 'content-type': 'application/json' },
    body: '{"editable": true}',
  });
  const { page, faults } = await openPage();
  await page.clock.install();
  await page.goto(body.data.url);
  return { page, faults, later: () => page.clock.fastForward(3_000) };
}

const translated = (index: number) => `.chapter[data-index="${index}"] .block .target >> nth=1`;

test('while a book is translated its ready chapters can be read, the others follow, and it ends where one is reading', async () => {
  const taskId = await startBook(1);
  const { page, faults, later } = await openReader(taskId);
  await page.waitForSelector(translated(0));
  assert.match(await page.innerText('#progress'), /^Translating: \d+ % · 1 of 6 chapters can be read$/);
  assert.match((await page.textContent('.chapter[data-index="0"] .source')) ?? '', /Chapter 1/);
  assert.match((await page.textContent('.chapter[data-index="1"]')) ?? '', /Chapter 2 is being translated/);
  assert.equal(await page.locator('.editable').count(), 0, 'for reading only');
  assert.ok(await page.isHidden('#toggle-search'), 'nothing to search in yet');
  await page.click('#toggle-chapters');
  assert.equal(await page.locator('#chapter-list button:enabled').count(), 1);
  await assertFits(page, 'a book that is being translated');
  await assertAccessible(page, 'a book that is being translated');
  await page.evaluate('window.sameVisit = true');

  open(3);
  await untilReady(taskId, 3);
  await later();
  await page.click('#chapter-list li:nth-child(3) button');
  await page.waitForSelector(translated(2));
  assert.match(await page.innerText('#progress'), /3 of 6 chapters/);
  await page.locator(translated(2)).scrollIntoViewIfNeeded();
  const reading = page.locator('.chapter[data-index="2"] .block').nth(2);
  const before = await reading.boundingBox();
  const words = await reading.innerText();

  open(chapterCount);
  await until(app, key, taskId, ({ status }) => status === 'completed');
  await later();
  await page.waitForSelector('body[data-ready]');
  assert.equal(await page.evaluate('window.sameVisit'), true, 'without loading the page again');
  assert.ok(await page.isHidden('#progress'));
  const same = page.locator('.chapter[data-index="2"] .block').nth(2);
  assert.equal(await same.locator('.source').innerText(), words.split('\n')[0]);
  const after = await same.boundingBox();
  assert.ok(Math.abs((after?.y ?? 0) - (before?.y ?? 1_000)) < 4, `${before?.y} px, then ${after?.y} px`);
  assert.equal(await page.locator('#chapter-list button:enabled').count(), chapterCount);
  assert.ok((await page.locator('.editable').count()) > 0);
  await page.click('#toggle-chapters');
  await page.click('#chapter-list li:nth-child(6) button');
  await page.waitForSelector(translated(5));
  assert.deepEqual(faults, []);
});

test('a book that is cancelled while somebody reads it stays: what is finished, and the rest in the source language', async () => {
  const taskId = await startBook(2);
  const { page, later } = await openReader(taskId);
  await page.waitForSelector(translated(0));
  await app.call('POST', `/api/v1/tasks/${taskId}/cancel`, { key });
  // Its files are still being written: the page keeps what it shows.
  await later();
  await page.waitForSelector(translated(0));
  await until(app, key, taskId, (task) => task.download_files !== undefined);
  await later();
  await page.waitForSelector('body[data-ready]');
  await page.click('#toggle-chapters');
  await page.click('#chapter-list li:nth-child(6) button');
  await page.waitForSelector('.chapter[data-index="5"] .block[data-state="failed"]');
});

test('a book that fails while somebody reads it says so', async () => {
  const taskId = await startBook(1);
  const { page, later } = await openReader(taskId);
  await page.waitForSelector(translated(0));
  open(0, { refuses: true });
  await until(app, key, taskId, ({ status }) => status === 'failed');
  await later();
  assert.match((await page.textContent('[role="alert"].message')) ?? '', /failed/);
  assert.equal(await page.locator('.chapter').count(), 0);
});

test('a service that is away for a while costs the reader nothing', async () => {
  const taskId = await startBook(1);
  const { page, later } = await openReader(taskId);
  await page.waitForSelector(translated(0));
  await page.route('**/book.json', (route) => route.abort());
  await later();
  await page.waitForSelector('#progress >> text=does not answer');
  await page.unroute('**/book.json');
  open(chapterCount);
  await until(app, key, taskId, ({ status }) => status === 'completed');
  await later();
  await page.waitForSelector('body[data-ready]');
});
