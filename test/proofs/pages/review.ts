/** An editor walks through the doubtful paragraphs of a book without a mouse. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { assertAccessible, assertFits } from '../../browser/accessibility.ts';
import { openPage } from '../../browser/browser.ts';
import { run } from '../../support/task-client.ts';
import { startTestApp } from '../../support/test-app.ts';

const app = await startTestApp();
const { id: accountId } = await app.account();
const { key } = await app.newKey(accountId, 'test');
const plain = Array.from({ length: 30 }, (_, i) => `La carta número ${i} llegó un martes de lluvia.`);
const doubtful = ['El barco de Puerto Calmo no volvió.', 'Nadie vino de Puerto Calmo aquella noche.'];
const text = [...plain, doubtful[0], ...plain.map((each) => `${each} Otra.`), doubtful[1]].join('\n\n');
const headers = { 'content-type': 'application/json' };

test('n and p walk through what is in doubt, a approves it, and the share done is told and kept', async () => {
  const task = await run(app, key, {
    ...{ action: 'translation', source_lang: 'es', target_lang: 'en-x-terms', text },
    glossary: { 'Puerto Calmo': 'Calm Harbour' },
  });
  const path = `/api/v1/tasks/${task.task_id}/reader-link`;
  const { body } = await app.call('POST', path, { key, headers, body: '{"editable": true}' });
  const { page, faults } = await openPage();
  const open = async () => {
    await page.goto(body.data.url);
    await page.waitForSelector('body[data-ready]');
  };
  const status = () => page.textContent('#review-status');
  await open();
  assert.equal(await status(), '0 of 2 doubtful paragraphs looked at: 0 %');
  await page.keyboard.press('n');
  await page.waitForSelector('#b31.current');
  assert.ok(await page.locator('#b31 .note').isVisible());
  assert.match(await page.locator('#b31 .note').innerText(), /name or term was not found/);
  await page.keyboard.press('a');
  await page.waitForSelector('#b31[data-state=approved]');
  await page.waitForSelector('#review-status >> text=1 of 2 doubtful paragraphs looked at: 50 %');
  await page.keyboard.press('n');
  await page.waitForSelector('#b62.current');
  await page.keyboard.press('p');
  await page.waitForSelector('#b31.current');
  await page.keyboard.press('n');
  await page.waitForSelector('#b62.current');
  await assertAccessible(page, 'a paragraph in doubt');
  // A correction is a look, too; what is typed is text and no shortcut.
  await page.keyboard.press('Enter');
  await page.locator('.area').fill('');
  await page.keyboard.type('Nap an a');
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('#b62[data-state=corrected]');
  await page.waitForSelector('#review-status >> text=2 of 2 doubtful paragraphs looked at: 100 %');
  await open();
  assert.equal(await status(), '2 of 2 doubtful paragraphs looked at: 100 %');
  assert.match((await page.getAttribute('#strip', 'aria-label')) ?? '', /1 corrected, 1 approved/);
  await page.keyboard.press('n');
  await page.waitForSelector('#review-status >> text=Every doubtful paragraph has been looked at');
  await page.setViewportSize({ width: 360, height: 800 });
  await assertFits(page, 'the review at 360 pixels');

  const reading = await app.call('POST', path, { key, headers, body: '{}' });
  await page.goto(reading.body.data.url);
  await page.waitForSelector('body[data-ready]');
  assert.equal(await page.locator('#approve').isVisible(), false, 'a link for reading approves nothing');
  assert.deepEqual(faults, []);
});
