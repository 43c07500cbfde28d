/** An editor loses nothing: not by leaving a paragraph, not by a reload, not by somebody else who edits too. */
import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { assertAccessible, assertFits } from '../../browser/accessibility.ts';
import { openPage } from '../../browser/browser.ts';
import { run } from '../../support/task-client.ts';
import { startTestApp } from '../../support/test-app.ts';

const app = await startTestApp();
const { id: accountId } = await app.account();
const { key } = await app.newKey(accountId, 'test');
const text = ['La carta llegó un martes.', 'Nadie la quiso abrir.', 'El farol ardió solo.'].join('\n\n');
const fields = { action: 'translation', source_lang: 'es', target_lang: 'en', text };

async function opened() {
  const task = await run(app, key, fields);
  const headers = { 'content-type': 'application/json' };
  const path = `/api/v1/tasks/${task.task_id}`;
  const { body } = await app.call('POST', `${path}/reader-link`, { key, headers, body: '{"editable": true}' });
  const open = async () => {
    const { page, faults } = await openPage();
    await page.goto(body.data.url);
    await page.waitForSelector('#b3');
    return { page, faults, paragraph: (id: string) => page.locator(`#${id} .target`), area: page.locator('.area') };
  };
  const targetOf = async (id: string): Promise<string> =>
    (await app.call('GET', `${path}/corrections/${id}`, { key })).body.data.current;
  return { open, targetOf };
}

test('what was typed is saved when its paragraph is left, and kept through a reload until it is saved', async () => {
  const { open, targetOf } = await opened();
  const { page, faults, paragraph, area } = await open();
  await paragraph('b1').click();
  await area.fill('The letter came on a Tuesday.');
  await paragraph('b2').click();
  await page.waitForSelector('#b1[data-state=corrected]');
  assert.equal(await targetOf('b1'), 'The letter came on a Tuesday.');
  await area.fill('No one would open it.');
  let asked = 0;
  page.removeAllListeners('dialog');
  page.on('dialog', (dialog) => {
    asked++;
    void dialog.accept();
  });
  await page.reload();
  await page.waitForSelector('#b3');
  assert.equal(asked, 1, 'the browser asks before the page goes');
  assert.match((await page.textContent('#foot-status')) ?? '', /One paragraph has text of yours that was not saved/);
  await paragraph('b2').click();
  assert.equal(await area.textContent(), 'No one would open it.');
  await page.click('.editor button.primary');
  await page.waitForSelector('#b2[data-state=corrected]');
  assert.equal(await targetOf('b2'), 'No one would open it.');
  assert.deepEqual(faults, []);
});

test('two editors of one paragraph: the second sees both texts and decides; earlier versions and the machine’s text come back', async () => {
  const { open, targetOf } = await opened();
  const [one, two] = [await open(), await open()];
  const machine = await targetOf('b3');
  await one.paragraph('b3').click();
  await two.paragraph('b3').click();
  await one.area.fill('The lamp burned alone.');
  await one.page.click('.editor button.primary');
  await one.page.waitForSelector('#b3[data-state=corrected]');
  await two.area.fill('The lantern burned.');
  await two.page.click('.editor button.primary');
  await two.page.waitForSelector('.version');
  assert.match((await two.page.textContent('.fault')) ?? '', /Changed meanwhile/);
  assert.deepEqual(await two.page.locator('.version p').allTextContents(), [
    'The lamp burned alone.',
    'The lantern burned.',
  ]);
  await two.paragraph('b1').click();
  assert.match((await two.page.textContent('.fault')) ?? '', /Decide first/, 'to go away is no decision');
  assert.equal(await targetOf('b3'), 'The lamp burned alone.', 'nothing was overwritten');
  await assertAccessible(two.page, 'a conflict');
  await two.page.click('.version:nth-child(2) button');
  await two.page.waitForSelector('#b3[data-state=corrected]');
  assert.equal(await targetOf('b3'), 'The lantern burned.');
  await two.paragraph('b3').click();
  await two.page.click('text=Earlier versions');
  await two.page.waitForSelector('.version:nth-child(2)');
  await two.page.click('text=Restore the machine’s text');
  await two.page.click('.editor button.primary');
  await two.page.waitForSelector('#b3:not([data-state=corrected])');
  assert.equal(await targetOf('b3'), machine);
});

test('a download has what was typed last, and every format is made when it is asked for, by keyboard too', async () => {
  const { open } = await opened();
  const { page, faults, paragraph, area } = await open();
  const downloaded = async (click: Promise<unknown>) => {
    const [download] = await Promise.all([page.waitForEvent('download'), click]);
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
  };
  const before = await downloaded(page.click('text=Download the book'));
  assert.equal(before.name, 'text.en.txt');
  await paragraph('b1').click();
  await area.fill('The letter came on a Tuesday.');
  const after = await downloaded(page.click('text=Download the book'));
  assert.equal(after.name, 'text.en.corrected.txt');
  assert.match(after.text, /The letter came on a Tuesday\./);
  await page.focus('#other-files');
  await page.keyboard.press('Enter');
  await assertAccessible(page, 'the list of formats');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  const xliff = await downloaded(page.keyboard.press('Enter'));
  assert.equal(xliff.name, 'text.en.xlf');
  assert.match(xliff.text, /<target state="final">The letter came on a Tuesday\.<\/target>/);
  for (const width of [360, 1_280]) {
    await page.setViewportSize({ width, height: 800 });
    await page.click('#other-files');
    await assertFits(page, `${width} pixels`);
    await page.keyboard.press('Escape');
  }
  assert.deepEqual(faults, []);
});
