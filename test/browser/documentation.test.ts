import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { startTestApp } from '../support/test-app.ts';
import { assertAccessible, assertFits } from './accessibility.ts';
import { openPage } from './browser.ts';

const app = await startTestApp();

test('the search finds a call by keyboard alone, and a chosen language stays chosen', async () => {
  const { page } = await openPage();
  await page.goto(`${app.rootUrl}/docs`);
  await page.keyboard.press('/');
  await page.keyboard.type('download url');
  await page.waitForSelector('#search-results li[aria-selected="true"]');
  await Promise.all([page.waitForURL(/\/docs\/api\/getDownload/), page.keyboard.press('Enter')]);
  await page.click('role=tab[name="Python"]');
  await page.goto(`${app.rootUrl}/docs/api/getUsage`);
  assert.equal(await page.getAttribute('role=tab[name="Python"]', 'aria-selected'), 'true');
  assert.ok(await page.isVisible('text=import os, requests'));
});

test('in a browser an address with nothing behind it is a page, and for a program it is the envelope', async () => {
  const { page } = await openPage({ viewport: { width: 360, height: 700 } });
  for (const path of ['/nope', '/docs/nope', '/docs/guides/nope', '/docs/api/nope', '/console/nope', '/api/v1/nope']) {
    const answer = await page.goto(app.rootUrl + path);
    assert.equal(answer?.status(), 404, path);
    assert.equal(await page.textContent('h1'), 'There is no such page', path);
    const program = await fetch(app.rootUrl + path);
    assert.equal(((await program.json()) as { error: { code: string } }).error.code, 'NOT_FOUND', path);
  }
  await assertAccessible(page, 'the page of an error');
  await assertFits(page, 'the page of an error');
  await Promise.all([page.waitForURL(`${app.rootUrl}/docs`), page.click('main a[href="/docs"]')]);
  await page.goto(`${app.rootUrl}/docs/`);
  assert.equal(page.url(), `${app.rootUrl}/docs`);
  const client = await fetch(`${app.rootUrl}/api/v1/nope`, { headers: { accept: 'text/html, image/gif, */*; q=.2' } });
  assert.equal(client.headers.get('content-type'), 'application/json; charset=utf-8');
});

test('every guide can be copied from, and the list of results is not cut by the sidebar', async () => {
  const { page, faults } = await openPage({ permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto(`${app.rootUrl}/docs/guides/quickstart`);
  await page.click('role=tab[name="Python"]');
  await page.click('.tab-row .copy');
  assert.match(await page.evaluate('navigator.clipboard.readText()'), /^import os, time, requests/);
  await page.goto(`${app.rootUrl}/docs/guides/idempotency`);
  assert.equal(await page.locator('pre').count(), await page.locator('.copy').count());
  await assertAccessible(page, 'a guide with copy buttons');
  await page.goto(`${app.rootUrl}/docs/guides/errors`);
  await page.fill('#search', '402');
  const first = page.locator('#search-results li').first();
  assert.match((await first.textContent()) ?? '', /^402 PAYMENT_REQUIRED/);
  // What is cut cannot be clicked: the element at the right end of each result is the result itself.
  for (const [i, result] of (await page.locator('#search-results li').all()).entries()) {
    const { x = 0, y = 0, width = 0, height = 0 } = (await result.boundingBox()) ?? {};
    const middle = `document.elementFromPoint(${x + width - 8}, ${y + height / 2})`;
    assert.equal(await page.evaluate(`${middle}.closest('li')?.id`), `result-${i}`);
    assert.ok(width > 400, String(width));
  }
  await assertFits(page, 'the search');
  assert.deepEqual(faults, []);
});
