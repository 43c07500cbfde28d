import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { startTestApp } from '../support/test-app.ts';
import { assertAccessible, assertFits } from './accessibility.ts';
import { openPage } from './browser.ts';

const app = await startTestApp();
const paths = ['/', '/docs', '/docs/guides/credits', '/docs/api/createTask', '/docs/objects/Task'];

for (const [width, colorScheme] of [
  [360, 'light'],
  [1400, 'dark'],
] as const) {
  test(`front page and documentation are accessible, fit ${width} px, and run without a fault (${colorScheme})`, async () => {
    const { page, faults } = await openPage({ viewport: { width, height: 800 }, colorScheme });
    const foreign: string[] = [];
    page.on('request', (request) => request.url().startsWith(app.rootUrl) || foreign.push(request.url()));
    for (const path of paths) {
      await page.goto(app.rootUrl + path);
      await assertFits(page, path);
      await assertAccessible(page, path);
    }
    assert.deepEqual([faults, foreign], [[], []]);
  });
}

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
