import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createSignInCode } from '../../src/operators/console-session-store.ts';
import { create, run } from '../support/task-client.ts';
import { startTestApp } from '../support/test-app.ts';
import { assertAccessible, assertFits } from './accessibility.ts';
import { openPage } from './browser.ts';

const app = await startTestApp();
const { db } = app.application.database;
const partner = await app.account({ credits: 100_000 });
const text = 'The lamp on the quay was out. Nobody had lit it since Monday, and Corwin knew why.';
const attack = '<img src=x onerror=alert(1)>"\'><script>alert(2)</script>';
const book = await run(app, partner.key, {
  action: 'translation',
  target_lang: 'de',
  text,
  metadata: JSON.stringify({ external_id: 'order-7', note: attack }),
});

async function signedIn(options = {}): Promise<{ page: Page; faults: string[] }> {
  const opened = await openPage(options);
  await opened.page.goto(`${app.rootUrl}/console/sign-in?code=${await createSignInCode(db)}`);
  assert.equal(new URL(opened.page.url()).pathname, '/console');
  return opened;
}

/** Opens a disclosed form, fills it and sends it. */
async function change(page: Page, opener: string, fields: Record<string, string>, button: string): Promise<void> {
  await page
    .locator('summary', { hasText: new RegExp(`^${opener}$`) })
    .first()
    .click();
  for (const [name, value] of Object.entries(fields)) await page.locator(`details[open] [name="${name}"]`).fill(value);
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: button }).first().click()]);
}

const lastAudit = async () => {
  const { rows } = await app.application.database.pool.query(
    'select action, actor from audit_log order by id desc limit 1',
  );
  return rows[0] as { action: string; actor: string };
};

for (const [width, colorScheme] of [
  [360, 'light'],
  [1400, 'dark'],
] as const) {
  test(`every page of the console is accessible, fits ${width} px and runs without a fault (${colorScheme})`, async () => {
    const { page, faults } = await signedIn({ viewport: { width, height: 800 }, colorScheme });
    const paths = [
      '',
      '/tasks',
      `/tasks/${book.task_id}`,
      '/accounts',
      `/accounts/${partner.id}`,
      '/usage',
      '/engines',
      '/webhooks',
      '/system',
      '/audit',
    ];
    for (const path of paths) {
      const answer = await page.goto(`${app.rootUrl}/console${path}`);
      assert.equal(answer?.status(), 200, path);
      await assertFits(page, path);
      await assertAccessible(page, path);
    }
    assert.deepEqual(faults, []);
  });
}

test('the overview renews itself', async () => {
  const { page } = await signedIn();
  await page.waitForSelector('.live-state.on');
  const waiting = page.locator('.tile', { hasText: 'Credits held' }).locator('.figure');
  assert.equal(await waiting.innerText(), '0');
  const long = await create(app, partner.key, {
    action: 'translation',
    target_lang: 'de-x-slow',
    text: text.repeat(60),
  });
  await page.locator('.tiles', { hasText: '4,920' }).waitFor();
  await page.goto(`${app.rootUrl}/console/tasks/${long.body.data.task_id}`);
  await change(page, 'Requeue', {}, 'Requeue this task');
  assert.match(await page.innerText('.notice'), /waits for a worker/);
  assert.match((await lastAudit()).actor, /^console \(/);
  await change(page, 'Cancel', {}, 'Cancel this task');
  assert.match(await page.innerText('.notice'), /cancelled/);
  assert.equal((await lastAudit()).action, 'task.cancel');
});

test('a task is found by id, external id and account, tells its story and can be read', async () => {
  const { page, faults } = await signedIn();
  for (const query of [`q=${book.task_id}`, 'q=order-7', `account=${partner.id}`, 'status=completed']) {
    await page.goto(`${app.rootUrl}/console/tasks?${query}`);
    assert.ok(await page.isVisible(`text=${book.task_id}`), query);
  }
  await page.goto(`${app.rootUrl}/console/tasks?q=nothing-like-it`);
  assert.ok(await page.isVisible('text=No task matches.'));
  await page.goto(`${app.rootUrl}/console/tasks/${book.task_id}`);
  assert.match(await page.innerText('.timeline'), /credits charged: 82/);
  assert.ok((await page.innerText('main')).includes(attack), 'metadata is text');
  await Promise.all([page.waitForURL(/\/read\/rdl_/), page.getByRole('button', { name: 'Read' }).click()]);
  assert.equal((await lastAudit()).action, 'task.read');
  assert.deepEqual(faults, []);
});

test('an account is created, funded, refunded, limited, suspended, resumed, and its keys are made and revoked', async () => {
  const { page, faults } = await signedIn();
  await page.goto(`${app.rootUrl}/console/accounts`);
  await change(page, 'New account', { name: attack, credits: '500' }, 'Create account');
  const key = await page.innerText('#secret');
  assert.match(key, /^tol_live_/);
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).body.data.balance_credits, 500);
  await page.getByRole('link', { name: attack }).first().click();
  assert.equal(await page.innerText('h1'), attack);
  await change(page, 'Top up', { credits: '250', reference: 'INV-1' }, 'Add credits');
  await change(page, 'Top up', { credits: '250', reference: 'INV-1' }, 'Add credits');
  assert.match(await page.innerText('.notice'), /booked before/);
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).body.data.balance_credits, 750);
  await change(page, 'Refund', { credits: '9', reference: 'R-1', reason: attack }, 'Refund credits');
  assert.match(await page.innerText('.notice.bad'), /At most 0 credits/);
  await change(page, 'Limits', { rate_limit: '7', low_balance: '100' }, 'Save limits');
  assert.match((await app.call('GET', '/api/v1/usage', { key })).headers.get('ratelimit-policy') ?? '', /q=7;/);
  await change(page, 'Suspend', { reason: attack }, 'Suspend account');
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).status, 403);
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Resume' }).click()]);
  await change(page, 'New key', {}, 'Create key');
  const second = await page.innerText('#secret');
  assert.equal((await app.call('GET', '/api/v1/usage', { key: second })).status, 200);
  await page.reload().catch(() => {});
  await change(page, 'Revoke', {}, 'Revoke');
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).status, 401);
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('400')),
    [],
  );
  await page.goto(`${app.rootUrl}/console/audit`);
  assert.ok((await page.innerText('main')).includes('account.suspend'));
});

test('engines are tested by a real call, and usage is shown and downloaded as CSV', async () => {
  const { page } = await signedIn();
  await page.goto(`${app.rootUrl}/console/engines`);
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Test sandbox' }).click()]);
  assert.match(await page.innerText('.notice.good'), /answers within/);
  await page.goto(`${app.rootUrl}/console/usage`);
  assert.match(await page.innerText('main'), /translation/);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=As CSV')]);
  assert.match(download.suggestedFilename(), /^toledo-usage-.*\.csv$/);
  await page.goto(`${app.rootUrl}/console/system`);
  assert.match(await page.innerText('main'), /TOLEDO_PORT/);
});
