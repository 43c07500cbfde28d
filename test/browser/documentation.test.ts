import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { startTestApp } from '../support/test-app.ts';
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
