import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { revokeKey } from '../../../src/operators/account-changes.ts';
import { createSignInCode } from '../../../src/operators/console-session-store.ts';
import { assertAccessible, assertFits } from '../../browser/accessibility.ts';
import { openPage } from '../../browser/browser.ts';
import { startTestApp } from '../../support/test-app.ts';

const app = await startTestApp();
const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

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
  const pages = ['/nope', '/docs/nope', '/docs/guides/nope', '/docs/api/nope', '/console/nope'];
  for (const path of pages) {
    const answer = await page.request.get(app.rootUrl + path, { headers: { accept: browserAccept } });
    assert.equal(answer.status(), 404, path);
    assert.match(await answer.text(), /<h1[^>]*>There is no such page<\/h1>/, path);
  }
  for (const path of [...pages, '/api/v1/nope']) {
    const program = await fetch(app.rootUrl + path);
    assert.equal(((await program.json()) as { error: { code: string } }).error.code, 'NOT_FOUND', path);
  }
  assert.equal((await page.goto(`${app.rootUrl}/api/v1/nope`))?.status(), 404);
  assert.equal(await page.textContent('h1'), 'There is no such page');
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

const { db } = app.application.database;
const keyOf = async (id: string, mode: 'live' | 'test') => await app.newKey(id, mode);

test('the examples hold the test key of a partner who is signed in, and never a live one', async () => {
  const { id } = await app.account();
  const keys = { test: await keyOf(id, 'test'), live: await keyOf(id, 'live') };
  for (const mode of ['live', 'test'] as const) {
    const { page, faults } = await openPage({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.request.post(`${app.rootUrl}/account/sign-in`, { form: { key: keys[mode].key } });
    const asked = page.waitForResponse(/\/console\/example-key/, { timeout: mode === 'live' ? 0 : 1 }).catch(() => {});
    const answer = page.waitForResponse(/\/account\/example-key/);
    await page.goto(`${app.rootUrl}/docs/guides/quickstart`);
    assert.equal((await answer).headers()['cache-control'], 'no-store');
    if (mode === 'live') {
      assert.equal((await answer).status(), 204);
      await asked;
      assert.ok(!(await page.content()).includes(keys.live.key));
      continue;
    }
    await page.waitForSelector('.example-key');
    await page.locator('.copy').first().click();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), `export TOLEDO_API_KEY=${keys.test.key}`);
    await page.goto(`${app.rootUrl}/docs/api/getUsage`);
    await page.waitForSelector('.example-key');
    assert.match(
      (await page.locator('[data-tab="curl"]').first().textContent()) ?? '',
      new RegExp(`Bearer ${keys.test.key}"`),
    );
    assert.match(
      (await page.locator('[data-tab="Python"]').first().textContent()) ?? '',
      new RegExp(`'${keys.test.key}'`),
    );
    await revokeKey(db, 'test', keys.test.id);
    const refused = page.waitForResponse(/\/console\/example-key/);
    await page.reload();
    await refused;
    assert.equal(await page.locator('.example-key').count(), 0);
    assert.deepEqual(faults, []);
  }
});

test('an operator has a test key made for the examples, which stays until it is dismissed', async () => {
  const { page, faults } = await openPage({ viewport: { width: 360, height: 700 } });
  const guide = `${app.rootUrl}/docs/guides/quickstart`;
  const firstSample = () => page.locator('pre code').first().textContent();
  const asked = page.waitForResponse(/\/console\/example-key/);
  await page.goto(guide);
  assert.equal((await asked).status(), 204);
  assert.equal(await page.locator('.example-key').count(), 0);
  await page.goto(`${app.rootUrl}/console/sign-in?code=${await createSignInCode(db)}`);
  await page.goto(guide);
  await page.getByRole('button', { name: 'Make a test key' }).dblclick();
  await page.getByRole('button', { name: 'Dismiss' }).waitFor();
  const key = /=(tol_test_\w+)$/.exec((await firstSample()) ?? '')?.[1] ?? '';
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).body.data.balance_credits, 0);
  await assertAccessible(page, 'a guide with a key');
  await assertFits(page, 'a guide with a key');
  await page.goto(`${app.rootUrl}/docs/guides/glossaries`);
  await page.waitForSelector('.example-key');
  assert.ok((await firstSample())?.includes(key));
  const { rows } = await app.application.database.pool.query(
    "select count(*)::int as made from audit_log where action = 'key.create' and details->>'prefix' = $1",
    [key.slice(0, 13)],
  );
  assert.equal(rows[0].made, 1);
  await page.goto(`${app.rootUrl}/console`);
  assert.equal(await page.textContent('#secret'), key);
  await page.goto(guide);
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Dismiss' }).click()]);
  await page.getByRole('button', { name: 'Make a test key' }).waitFor();
  assert.ok(!(await page.content()).includes(key));
  const forged = await page.evaluate(
    `fetch('/console/example-key', { method: 'POST', body: new URLSearchParams({ csrf: 'x' }) }).then((a) => a.status)`,
  );
  assert.equal(forged, 403);
  // Over while somebody looks at the page.
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Make a test key' }).click();
  await page.waitForSelector('.example-key >> text=There is no key');
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('403')),
    [],
  );
});
