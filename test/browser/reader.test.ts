import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { openArchive } from '../../src/documents/archive/archive.ts';
import { sampleEpub } from '../../src/pages/samples/sample-epub.ts';
import { smallDocx } from '../documents/small-office.ts';
import { run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { assertAccessible, assertFits } from './accessibility.ts';
import { openPage, untilTrue } from './browser.ts';

const app = await startTestApp();
const account = await app.account();
const { key } = await app.newKey(account.id, 'test');

const chapters = Array.from({ length: 14 }, (_each, i) => ({
  title: `Capítulo ${i + 1}`,
  paragraphs: Array.from({ length: 7 }, (_one, j) =>
    j === 3
      ? `Inés Robledo miró el faro ${i + 1} desde Puerto Calmo.`
      : j === 5
        ? `El *faro viejo* seguía encendido, como en la carta número ${i}.`
        : `El viento cambió otra vez, y nadie dijo nada sobre la carta número ${i * 7 + j}.`,
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

  const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Download the book')]);
  assert.equal(download.suggestedFilename(), 'faro.en.corrected.epub');
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

test('a paragraph is corrected by keyboard alone, and its formatting cannot be lost', async () => {
  const { page, faults } = await openPage();
  await page.goto(await linkOf(task.task_id, { editable: true }));
  await page.waitForSelector('body[data-ready]');
  const paragraph = page.locator('[data-index="0"] .block', { hasText: 'faro viejo' });
  const before = await paragraph.locator('.target').innerText();
  await paragraph.locator('.edit').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Words without the emphasis.');
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('.fault >> text=A tag was lost');
  await page.keyboard.press('Escape');
  assert.equal(await paragraph.locator('.target').innerText(), before);
  assert.equal(await page.evaluate('document.activeElement.className'), 'edit', 'the keyboard stays where it was');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' Still.');
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('[data-index="0"] .block[data-state="corrected"] >> text=Still.');
  assert.equal(await paragraph.locator('.target i').count(), 1);
  assert.match(await paragraph.locator('.note').innerText(), /Corrected/);
  assert.match((await page.getAttribute('#strip', 'aria-label')) ?? '', /[1-9]\d* corrected/);
  assert.deepEqual(faults, []);
});

test('the book opens where one stopped reading', async () => {
  const { page } = await openPage();
  await page.goto(await linkOf(task.task_id));
  await page.waitForSelector('body[data-ready]');
  await page.click('#toggle-chapters');
  await page.click('#chapter-list li:nth-child(9) button');
  const kept = "localStorage[Object.keys(localStorage).find((key) => key.startsWith('toledo.place'))]";
  await untilTrue(page, `${kept}?.includes('"chapter":8')`);
  await page.reload();
  await page.waitForSelector('body[data-ready]');
  const heading = await page.locator('[data-index="8"] .block.heading').boundingBox();
  assert.ok(heading && heading.y > -200 && heading.y < 800, `at ${heading?.y} px`);
  // Without the mouse, for which the test's own tools would scroll.
  await page.evaluate("document.getElementById('toggle-chapters').click()");
  assert.match(await page.innerText('#chapter-list [aria-current]'), /9$/);
});

test('a narrow window, one column and large letters show the book without scrolling sideways', async () => {
  const { page, faults } = await openPage({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
  await page.goto(await linkOf(task.task_id));
  await page.waitForSelector('body[data-ready]');
  await page.click('#toggle-chapters');
  await page.keyboard.press('Escape');
  assert.ok(await page.isHidden('#chapters'), 'Escape closes what a button has opened');
  await page.click('#toggle-chapters');
  await page.click('#chapter-list li:nth-child(2) button');
  assert.ok(await page.isHidden('#chapters'), 'the list does not cover the chapter that was chosen');
  await page.click('#toggle-source');
  for (let i = 0; i < 5; i++) await page.click('#larger');
  await assertFits(page, 'the reader');
  await assertAccessible(page, 'the reader, narrow and dark');
  assert.equal(await page.locator('.source:visible').count(), 0);
  assert.deepEqual(faults, []);
});

test('what was not translated, and what has a warning, is seen beside the paragraph and along the edge', async () => {
  const short = Array.from({ length: 20 }, (_each, i) => `La vela ${i} se apagó.`);
  const long = Array.from({ length: 30 }, (_each, i) => `${chapters[0]?.paragraphs[0]} `.repeat(3) + i);
  const text = ['# Uno', ...long, '# Dos', ...short].join('\n\n');
  const partial = await run(app, key, {
    action: 'translation',
    source_lang: 'es',
    target_lang: 'en-x-partial',
    text,
    file_name: 'velas.md',
  });
  const { page, faults } = await openPage();
  await page.goto(await linkOf(partial.task_id));
  await page.waitForSelector('body[data-ready]');
  await page.click('#toggle-chapters');
  await page.click('#chapter-list li:nth-child(2) button');
  const failed = page.locator('[data-index="1"] .block[data-state="failed"]');
  await failed.first().waitFor();
  const count = await failed.count();
  assert.ok(count > 0);
  assert.match(await failed.first().locator('.note.bad').innerText(), /Not translated, not charged/);
  assert.equal(await failed.first().locator('.target').getAttribute('lang'), 'es');
  assert.match((await page.getAttribute('#strip', 'aria-label')) ?? '', new RegExp(`: ${count} not translated`));
  assert.match(await page.innerText('#chapter-list li:nth-child(2)'), new RegExp(`${count} not translated`));
  await assertAccessible(page, 'a book with gaps');
  const missed = await run(app, key, {
    action: 'translation',
    source_lang: 'es',
    target_lang: 'en-x-terms',
    text: 'La carta vino de Puerto Calmo, y nadie supo por qué.',
    glossary,
  });
  await page.goto(await linkOf(missed.task_id));
  assert.match(await page.locator('.note.warn').innerText(), /name or term was not found/);
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
  const about = { title: script, author: `\u202e${script}`, language: 'es' };
  const epub = Buffer.from(sampleEpub({ ...about, chapters: [{ title: `\u2067${script}`, paragraphs: [text] }] }));
  const fields = { action: 'translation', source_lang: 'es', target_lang: 'en', estimated_chars: 5_000 };
  const bound = await run(app, key, fields, { file: { content: epub, fileName: `\u202e${script}.epub` } });
  const { page, faults } = await openPage();
  for (const { task_id } of [hostile, bound]) {
    await page.goto(await linkOf(task_id, { editable: true }));
    await page.waitForSelector('body[data-ready]');
    await page.waitForSelector('.block');
    for (const button of await page.locator('.term').all()) await button.click({ force: true });
    await page.keyboard.press('Escape');
    await page.click('#toggle-chapters');
    assert.equal(await page.locator('main script, main img, main svg, .term-card script, nav script').count(), 0);
    // An override ends with what it stands in: paragraph, title, entry of the list.
    for (const place of ['.source', '.target', '#book-title', '#chapter-list bdi', '#book-head bdi']) {
      const isolation = `getComputedStyle(document.querySelector('${place}')).unicodeBidi`;
      assert.match(String(await page.evaluate(isolation)), /isolate/, place);
    }
    assert.equal(await page.evaluate('location.origin'), app.rootUrl);
  }
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
  await page.click('#toggle-vertical');
  const direction = "getComputedStyle(document.querySelector('.block .source')).writingMode";
  assert.equal(await page.evaluate(direction), 'vertical-rl');
  await assertFits(page, 'vertical text');
  await assertAccessible(page, 'a Japanese book');
  assert.deepEqual(faults, []);
});

test('readings in a Word document stand beside their words too', async () => {
  const ruby = (base: string, reading: string) =>
    `<w:r><w:ruby><w:rt><w:r><w:t>${reading}</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>${base}</w:t></w:r></w:rubyBase></w:ruby></w:r>`;
  const body = `<w:p>${ruby('灯台', 'とうだい')}<w:r><w:t>の前にいた。</w:t></w:r></w:p>`;
  const fields = { action: 'translation', source_lang: 'ja', target_lang: 'en', estimated_chars: 100 };
  const word = await run(app, key, fields, {
    file: { content: Buffer.from(smallDocx({ body })), fileName: 'hon.docx' },
  });
  assert.equal(word.char_count, 8);
  const { page } = await openPage();
  await page.goto(await linkOf(word.task_id));
  await page.waitForSelector('body[data-ready]');
  assert.deepEqual(await page.locator('.source ruby').allTextContents(), ['灯台とうだい']);
});

test('a link that does not work says so on a page', async () => {
  const { page } = await openPage();
  const url = await linkOf(task.task_id);
  await page.goto(url.replace(/rdl_(.)/, (_, first) => (first === '9' ? 'rdl_8' : 'rdl_9')));
  assert.match((await page.textContent('h1')) ?? '', /does not work/);
  await assertAccessible(page, 'a link that does not work');
  const brief = await linkOf(task.task_id, { expires_in: 1 });
  while ((await fetch(brief)).status !== 403);
  await page.goto(brief);
  assert.match((await page.textContent('h1')) ?? '', /has expired/);
  await app.call('DELETE', `/api/v1/tasks/${task.task_id}/reader-links`, { key });
  await page.goto(url);
  assert.match((await page.textContent('h1')) ?? '', /does not work/);
});
