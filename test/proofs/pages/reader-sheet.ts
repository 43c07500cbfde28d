import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { assertAccessible, assertFits } from '../../browser/accessibility.ts';
import { openPage } from '../../browser/browser.ts';
import { run } from '../../support/task-client.ts';
import { startTestApp } from '../../support/test-app.ts';

const app = await startTestApp();
const account = await app.account();
const { key } = await app.newKey(account.id, 'test');
const send = (method: 'POST' | 'PUT', path: string, body: object) =>
  app.call(method, `/api/v1${path}`, {
    key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

test('a reader sees how the book is translated, as text and never as markup, and no panel where nothing was settled', async () => {
  const text = 'The ferry left the harbour before dawn.\n\nNobody on the quay had ordered it to go.';
  const { body } = await send('POST', '/series', { title: 'Ferries', source_lang: 'en', target_lang: 'de' });
  const { series_id } = body.data;
  const linkTo = async (): Promise<string> => {
    const { task_id } = await run(app, key, { action: 'translation', series_id, text });
    return (await send('POST', `/tasks/${task_id}/reader-link`, {})).body.data.url;
  };
  const plain = await linkTo();
  const sheet = {
    tense: 'Präteritum; Plusquamperfekt for what lay before',
    register: '<img src=x onerror=alert(1)>',
    address: [{ from: 'Marta', to: 'Captain Hale', form: 'Sie, Kapitän' }],
    voices: [{ name: 'Captain Hale', voice: 'finishes no sentence that begins with a number' }],
  };
  assert.equal((await send('PUT', `/series/${series_id}/sheet`, sheet)).status, 200);
  const settled = await linkTo();

  const { page, faults } = await openPage();
  await page.goto(settled);
  await page.waitForSelector('body[data-ready]');
  await page.click('text=How this book is translated');
  assert.deepEqual(await page.locator('.sheet dt').allTextContents(), [
    'Tense',
    'Register and period',
    'Marta to Captain Hale',
    'Voice of Captain Hale',
  ]);
  assert.equal(await page.locator('.sheet dd >> nth=1').textContent(), sheet.register);
  await assertAccessible(page, 'the panel of decisions');
  for (const width of [360, 1_280]) {
    await page.setViewportSize({ width, height: 800 });
    await assertFits(page, `${width} pixels`);
  }
  await page.goto(plain);
  await page.waitForSelector('body[data-ready]');
  assert.equal(await page.locator('.sheet').count(), 0);
  assert.deepEqual(faults, []);
});
