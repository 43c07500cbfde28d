import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { sampleEpub } from '../../scripts/sample-epub.ts';
import { openArchive } from '../../src/documents/archive/archive.ts';
import { run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { assertAccessible, assertFits } from './accessibility.ts';
import { openPage } from './browser.ts';

const app = await startTestApp();
const account = await app.account();
const { key } = await app.newKey(account.id, 'test');

const chapters = Array.from({ length: 14 }, (_each, i) => ({
  title: `Capítulo ${i + 1}`,
  paragraphs: Array.from({ length: 12 }, (_one, j) =>
    j === 3
      ? `Inés Robledo miró el faro ${i + 1} desde Puerto Calmo.`
      : `El viento cambió otra vez, y nadie dijo nada sobre la carta número ${i * 12 + j}.`,
  ),
}));
const book = Buffer.from(sampleEpub({ title: 'El faro', author: 'Nadie', language: 'es', chapters }));
const glossary = {
  'Inés Robledo': { target: 'Ines Robledo', aliases: ['Inés'], type: 'person', gender: 'female' },
  'Puerto Calmo': 'Calm Harbour',
};

async function linkOf(taskId: string, options: object = {}): Promise<string> {
  const { body } = await app.call('POST', `/api/v1/tasks/${taskId}/reader-link`, {
    key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(options),
  });
  return body.data.url;
}

const task = await run(
  app,
  key,
  { action: 'translation', source_lang: 'es', target_lang: 'en', estimated_chars: 20_000, glossary },
  { file: { content: book, fileName: 'faro.epub' } },
);

test('a person reads, jumps to chapter 12, searches a name, sees all its places, corrects, and downloads the book', async () => {
  const { page, faults } = await openPage();
  await page.goto(await linkOf(task.task_id, { editable: true }));
  await page.waitForSelector('body[data-ready]');

  await page.click('#toggle-chapters');
  await page.click('#chapter-list li:nth-child(12) button');
  await page.waitForSelector('[data-index="11"] .block');
  assert.match((await page.textContent('[data-index="11"] .block .source')) ?? '', /Capítulo 12/);

  await page.click('#toggle-search');
  await page.fill('#query', 'puerto calmo');
  await page.press('#query', 'Enter');
  await page.waitForSelector('#found li');
  assert.equal(await page.locator('#found li').count(), 14);
  await page.keyboard.press('Escape');

  await page.click('[data-index="11"] .target .term >> nth=0');
  await page.waitForSelector('#term-card .places li');
  assert.equal(await page.locator('#term-card .places li').count(), 14);
  await page.fill('#term-fix', 'Agnes Oakley');
  await page.click('#term-card form button');
  await page.waitForSelector('#term-card form p:has-text("14 paragraphs changed")');
  await page.reload();
  await page.waitForSelector('[data-index="11"] .block');
  await page.click('[data-index="11"] .target .term >> nth=0');
  await page.waitForSelector('#term-card dd >> text=Agnes Oakley');
  await page.keyboard.press('Escape');

  const paragraph = page.locator('[data-index="11"] .block').nth(2);
  await paragraph.locator('.target').click();
  const area = paragraph.locator('.area');
  await area.fill('The wind turned again, as winds do.');
  await area.press('Control+Enter');
  await page.waitForSelector('[data-index="11"] .block[data-state="corrected"] >> text=as winds do');

  await page.click('#remake');
  await page.waitForSelector('#download:not([hidden])');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#download')]);
  const archive = openArchive(await readFile(await download.path()));
  const text = new TextDecoder().decode(archive.read('OEBPS/c12.xhtml'));
  assert.match(text, /as winds do/);
  assert.match(text, /Agnes Oakley/);

  await page.reload();
  await page.waitForSelector('body[data-ready]');
  await page.waitForSelector('[data-index="11"] .block >> text=as winds do');
  await assertAccessible(page, 'the reader');
  assert.deepEqual(faults, []);
});

test('a narrow window, one column and large letters show the book without scrolling sideways', async () => {
  const { page, faults } = await openPage({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
  await page.goto(await linkOf(task.task_id));
  await page.waitForSelector('body[data-ready]');
  await page.click('#toggle-chapters');
  await page.keyboard.press('Escape');
  assert.ok(await page.isHidden('#chapters'), 'Escape closes what a button has opened');
  await page.click('#toggle-source');
  for (let i = 0; i < 5; i++) await page.click('#larger');
  await assertFits(page, 'the reader');
  await assertAccessible(page, 'the reader, narrow and dark');
  assert.equal(await page.locator('.source:visible').count(), 0);
  assert.deepEqual(faults, []);
});

test('a hostile book cannot run anything or leave its place', async () => {
  const script = '<script>alert(1)</script><img src=x onerror=alert(2)>';
  const text = `${script} \u202eoverride\u202c javascript:alert(3)\n\n"><svg onload=alert(4)> ' onclick=alert(5)`;
  const hostile = await run(app, key, {
    action: 'translation',
    text: `# ${script}\n\n${text}`,
    file_name: `${'<b>x</b>'}.md`,
    source_lang: 'es',
    target_lang: 'en',
    glossary: { [script]: '<script>alert(6)</script>' },
  });
  const { page, faults } = await openPage();
  await page.goto(await linkOf(hostile.task_id, { editable: true }));
  await page.waitForSelector('body[data-ready]');
  await page.waitForSelector('.block');
  for (const button of await page.locator('.term').all()) await button.click({ force: true });
  assert.equal(await page.locator('main script, main img, main svg, .term-card script').count(), 0);
  assert.deepEqual(faults, []);
});

test('right to left is right to left, and what was not translated is seen at a glance', async () => {
  const arabic = await run(app, key, {
    action: 'translation',
    text: 'Ana abrió la carta.\n\n* * *\n\nNadie la vio.',
    source_lang: 'es',
    target_lang: 'ar',
  });
  const { page } = await openPage();
  await page.goto(await linkOf(arabic.task_id));
  await page.waitForSelector('.block');
  assert.equal(await page.getAttribute('.target', 'dir'), 'rtl');
  assert.equal(await page.getAttribute('.source', 'dir'), 'ltr');
  assert.match((await page.getAttribute('#strip', 'aria-label')) ?? '', /paragraphs: 0 not translated/);
});

test('readings of Japanese words stand beside them, across and downwards, also inside a name', async () => {
  const paragraph =
    '<p>　<ruby>山田<rp>(</rp><rt>やまだ</rt><rp>)</rp>太郎<rt>たろう</rt></ruby>は<b><ruby>灯台<rt>とうだい</rt></ruby></b>の前にいた。</p>';
  const content = `<html lang="ja"><head><title>灯台</title><style>html { writing-mode: vertical-rl }</style></head><body><h1>第一章</h1>${paragraph.repeat(3)}</body></html>`;
  const japanese = await run(
    app,
    key,
    {
      action: 'translation',
      source_lang: 'ja',
      target_lang: 'en',
      estimated_chars: 5_000,
      glossary: { 山田太郎: 'Taro Yamada' },
    },
    { file: { content, fileName: 'hon.html' } },
  );
  const { page, faults } = await openPage();
  await page.goto(await linkOf(japanese.task_id));
  await page.waitForSelector('body[data-ready]');
  const first = page.locator('.block .source').nth(1);
  assert.deepEqual(await first.locator('rt').allTextContents(), ['やまだ', 'たろう', 'とうだい']);
  assert.equal(await first.locator('.term').textContent(), '山田やまだ太郎たろう');
  assert.equal(await page.locator('.target rt').count(), 0);
  if (await page.isVisible('#toggle-vertical')) await page.click('#toggle-vertical');
  await assertFits(page, 'vertical text');
  await assertAccessible(page, 'a Japanese book');
  assert.deepEqual(faults, []);
});

test('a link that does not work says so on a page', async () => {
  const { page } = await openPage();
  const url = await linkOf(task.task_id);
  await page.goto(url.replace(/rdl_./, 'rdl_9'));
  assert.match((await page.textContent('h1')) ?? '', /does not work/);
  await app.call('DELETE', `/api/v1/tasks/${task.task_id}/reader-links`, { key });
  await page.goto(url);
  assert.match((await page.textContent('h1')) ?? '', /does not work/);
});
