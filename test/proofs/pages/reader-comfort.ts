/** What a person who works in the reader all day is told and spared. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { sampleEpub } from '../../../src/pages/samples/sample-epub.ts';
import { assertAccessible, assertFits, assertReachable } from '../../browser/accessibility.ts';
import { openPage, untilTrue } from '../../browser/browser.ts';
import { create, run } from '../../support/task-client.ts';
import { startTestApp } from '../../support/test-app.ts';

const app = await startTestApp();
const { id: accountId } = await app.account();
const { key } = await app.newKey(accountId, 'test');
const headers = { 'content-type': 'application/json' };
const linkTo = async (taskId: string, body: object): Promise<string> => {
  const path = `/api/v1/tasks/${taskId}/reader-link`;
  return (await app.call('POST', path, { key, headers, body: JSON.stringify(body) })).body.data.url;
};
const chapters = Array.from({ length: 6 }, (_, i) => ({
  title: `Capítulo ${i + 1}`,
  paragraphs: Array.from({ length: 12 }, (_one, j) => `Ana vino de Puerto Calmo la noche ${i + 1}-${j + 1}.`),
}));
chapters[0]?.paragraphs.splice(0, 1, 'El *Aurora* no volvió a Puerto Calmo.');
const content = Buffer.from(sampleEpub({ title: 'El faro', author: 'Nadie', language: 'es', chapters }));
const fields = { action: 'translation', source_lang: 'es', target_lang: 'en', estimated_chars: 9_000 };
const glossary = { 'Puerto Calmo': 'Calm Harbour' };
const task = await run(app, key, { ...fields, glossary }, { file: { content, fileName: 'faro.epub' } });

test('the top says what the text is and in which languages, italics are italics, and keys are told', async () => {
  const { page, faults } = await openPage();
  await page.goto(await linkTo(task.task_id, { editable: true }));
  await page.waitForSelector('body[data-ready]');
  assert.equal(await page.innerText('#quality'), 'Sandbox');
  assert.match(await page.innerText('#book-head'), /Spanish → English/);
  assert.match(await page.innerText('#book-head'), /invented words, no translation/);
  assert.equal(await page.locator('#b2 .source i').innerText(), 'Aurora');
  assert.equal(await page.locator('#b2 .target i').count(), 1);
  await page.keyboard.press('?');
  assert.match(await page.innerText('#keys'), /approve the marked paragraph/);
  await assertAccessible(page, 'the keys');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#keys').isVisible(), false);
  for (const width of [360, 1_280]) {
    await page.setViewportSize({ width, height: 800 });
    await assertFits(page, `${width} pixels`);
  }
  assert.deepEqual(faults, []);
});

test('the chapter list stands beside the book at 1280 pixels and closes after a jump', async () => {
  const { page } = await openPage();
  await page.goto(await linkTo(task.task_id, {}));
  await page.waitForSelector('body[data-ready]');
  await page.keyboard.press('c');
  const panel = await page.locator('#chapters').boundingBox();
  const text = await page.locator('#b2 .source').boundingBox();
  assert.ok(panel && text && panel.x + panel.width <= text.x, JSON.stringify({ panel, text }));
  await page.click('#chapter-list li:nth-child(4) button');
  await page.waitForSelector('[data-index="3"] .block');
  assert.equal(await page.locator('#chapters').isVisible(), false);
});

test('a paragraph has an address: with a key, with the mouse, and a person who opens it sees that paragraph', async () => {
  const { page } = await openPage();
  await page.goto(await linkTo(task.task_id, { editable: true }));
  await page.waitForSelector('body[data-ready]');
  await page.locator('#b5 .edit').focus();
  await page.keyboard.press('l');
  assert.match(page.url(), /#b5$/);
  assert.equal(await page.locator('#b6 .permalink').getAttribute('href'), '#b6');
  const { page: other } = await openPage();
  await other.goto(page.url().replace(/#b5$/, '#b60'));
  await other.waitForSelector('body[data-ready]');
  const box = await other.locator('#b60').boundingBox();
  assert.ok(box && box.y > 0 && box.y < 800, JSON.stringify(box));
  await other.evaluate("location.hash = '#b3'");
  await untilTrue(other, 'document.getElementById("b3")?.getBoundingClientRect().top > 0');
});

test('the terms of the paragraph that is open stand beside it, and a look at one loses nothing that was typed', async () => {
  const { page, faults } = await openPage();
  await page.goto(await linkTo(task.task_id, { editable: true }));
  await page.waitForSelector('body[data-ready]');
  await page.locator('#b4 .edit').focus();
  await page.keyboard.press('e');
  await page.locator('.area').fill('Typed and not saved.');
  assert.match(await page.innerText('#b4 .own-terms'), /Puerto Calmo → Calm Harbour/);
  await page.click('#b4 .own-terms .term >> text=Puerto Calmo');
  await page.waitForSelector('#term-card >> text=occurrences');
  await page.keyboard.press('Escape');
  assert.equal(await page.innerText('.area'), 'Typed and not saved.');
  await assertAccessible(page, 'an open paragraph with its terms');
  assert.deepEqual(faults, []);
});

test('a bilingual book tells source and translation apart at sight, also where paragraphs are only indented', async () => {
  const style =
    '<style>p { margin: 0; text-indent: 2em; padding: 0 } .first { text-indent: 0 } .letter { font-style: italic }</style>';
  const text = `<html><head><title>Faro</title>${style}</head><body><p class="first">La carta llegó.</p><p class="letter">Nadie vino.</p></body></html>`;
  const file = { content: text, fileName: 'faro.html' };
  const { task_id } = await run(app, key, { ...fields, estimated_chars: 200 }, { file });
  const { page } = await openPage({ viewport: { width: 360, height: 600 } });
  await page.setContent((await app.call('GET', `/api/tasks/download-file/${task_id}?file_id=bilingual`, { key })).text);
  const shown = await page.evaluate(`[...document.querySelectorAll('p')].map((row) => {
    const { borderLeftWidth, textIndent, marginBottom } = getComputedStyle(row);
    return [row.className, borderLeftWidth, textIndent, marginBottom];
  })`);
  assert.deepEqual(shown, [
    ['first', '0px', '0px', '0px'],
    ['first toledo-translation', '2px', '0px', '14.4px'],
    ['letter', '0px', '32px', '0px'],
    ['letter toledo-translation', '2px', '0px', '14.4px'],
  ]);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await page.goto(await linkTo(task_id, { editable: true }));
  await page.waitForSelector('body[data-ready]');
  const slant = (id: string) => page.evaluate(`getComputedStyle(document.querySelector('#${id} .target')).fontStyle`);
  assert.deepEqual([await slant('b1'), await slant('b2')], ['normal', 'italic']);
  await assertReachable(page, 'the reader');
});

test('a task that is not finished opens with its progress at once, and not with a fault', async () => {
  const { body } = await create(app, key, {
    action: 'translation',
    target_lang: 'de-x-outage',
    text: 'The lamp was out.',
  });
  const { page, faults } = await openPage();
  const said: string[] = [];
  await page.exposeFunction('told', (text: string) => void said.push(text));
  await page.addInitScript(`addEventListener('DOMContentLoaded', () => {
    const line = document.getElementById('progress');
    new MutationObserver(() => told(line.textContent)).observe(line, { childList: true, characterData: true, subtree: true });
  })`);
  await page.goto(await linkTo(body.data.task_id, {}));
  await page.waitForSelector('#progress:not([hidden])');
  assert.match(await page.innerText('#progress'), /^(?:Waiting for its turn|Reading the book|Translating): \d+ %/);
  assert.ok(said.length > 0 && said.every((text) => !text.includes('does not answer')), said.join(' | '));
  assert.match(await page.innerText('#book-head'), /The book is being translated/);
  assert.deepEqual(faults, []);
  await app.call('POST', `/api/v1/tasks/${body.data.task_id}/cancel`, { key });
});

test('a fault of the page itself is called that, and not one of the network', async () => {
  const { page } = await openPage();
  await page.route('**/book.json', (route) =>
    route.fulfill({ json: { success: true, data: { chapters: null, file_name: 'x', title: 'x' } } }),
  );
  await page.goto(await linkTo(task.task_id, {}));
  await page.waitForSelector('[role=alert]');
  assert.match(await page.innerText('[role=alert]'), /This page has a fault of its own/);
});
