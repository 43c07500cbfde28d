/** The front page proves what it says: a translated page, the pairs that are served, and a paragraph of the visitor's own. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { startTestApp } from '../support/test-app.ts';
import { assertAccessible, assertFits } from './accessibility.ts';
import { openPage } from './browser.ts';

// Its own: it makes the account of the house.
const app = await startTestApp({ own: true });
const { showcase } = app.application;
const ask = (body: object) =>
  app.call('POST', '/try', { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const houseTasks = async () =>
  (
    await app.application.database.pool.query(
      `select t.status, t.purged_at is not null as purged, t.external_id from tasks t
       join accounts a on a.id = t.account_id where a.name = 'front page'`,
    )
  ).rows;

test('a visitor sees a page side by side, opens it in the reader, and has a paragraph translated without a mouse', async () => {
  const { page, faults } = await openPage();
  await page.goto(app.rootUrl);
  assert.equal(await page.locator('#example').count(), 0, 'there is none before the first start has made it');
  await showcase?.makeExample();
  await showcase?.makeExample();
  while ((await showcase?.example()) === undefined) await new Promise((next) => setImmediate(next));
  assert.equal((await houseTasks()).length, 1, 'it is made once');
  await page.reload();
  assert.match(await page.innerText('.example'), /Camille Aubry trouva la porte du moulin ouverte/);
  assert.match(await page.innerText('#pairs + ul, .pairs'), /languages → .*languages/);

  await page.focus('#try-text');
  await page.keyboard.type('La carta llegó un martes.');
  await page.selectOption('[name=source_lang]', 'es');
  await page.selectOption('[name=target_lang]', 'en');
  await page.focus('#try-form button');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#try-answer:not([hidden])');
  assert.match(await page.innerText('#try-answer'), /La carta llegó un martes\.[\s\S]*⟦/);
  await assertAccessible(page, 'the front page');
  for (const width of [360, 1_280]) {
    await page.setViewportSize({ width, height: 800 });
    await assertFits(page, `the front page at ${width} pixels`);
  }
  const tried = (await houseTasks()).filter((task) => task.external_id === null);
  assert.deepEqual(tried, [{ status: 'completed', purged: true, external_id: null }], 'nothing of it is kept');

  await page.click('text=Open it in the reader');
  await page.waitForSelector('body[data-ready]');
  assert.match(await page.innerText('#book'), /Camille Aubry/);
  assert.equal(await page.locator('.edit').count(), 0, 'for reading only');
  assert.deepEqual(faults, []);
});

test('what a visitor may try is bounded: in length, by address, and the operator can stop it', async () => {
  const good = { text: 'La carta.', source_lang: 'es', target_lang: 'en' };
  for (const body of [
    { ...good, text: 'x'.repeat(501) },
    { ...good, text: ' ' },
    { ...good, target_lang: 'xx-nothing-at-all' },
    { ...good, more: 1 },
  ])
    assert.equal((await ask(body)).status, 400, JSON.stringify(body).slice(0, 80));
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) statuses.push((await ask(good)).status);
  assert.equal(statuses.at(-1), 429, statuses.join());
  const off = await startTestApp({ env: { TOLEDO_TRY: 'off' } });
  assert.equal(
    (await off.call('POST', '/try', { headers: { 'content-type': 'application/json' }, body: '{}' })).status,
    404,
  );
  assert.equal(off.application.showcase, undefined);
  assert.doesNotMatch((await off.call('GET', '/')).text, /try-form/);
});
