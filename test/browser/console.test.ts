import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { create, run } from '../support/task-client.ts';
import { longStory } from '../support/texts.ts';
import { assertReachable } from './accessibility.ts';
import { change, openConsoleSite } from './console-site.ts';

const { app, partner, text, attack, book, signedIn, lastAudit } = await openConsoleSite({ own: true });

test('the overview renews itself', async () => {
  const { page } = await signedIn();
  await page.goto(`${app.rootUrl}/console`);
  await page.waitForSelector('.live-state.on');
  const waiting = page.locator('.tile', { hasText: 'Credits held' }).locator('.figure');
  assert.equal(await waiting.innerText(), '0');
  const long = await create(app, partner.key, {
    action: 'translation',
    target_lang: 'de-x-slow',
    text: longStory(1),
  });
  await page.locator('.tiles', { hasText: long.body.data.estimated_credits.toLocaleString('en') }).waitFor();
  await page.goto(`${app.rootUrl}/console/tasks/${long.body.data.task_id}`);
  await change(page, 'Requeue', {}, 'Requeue this task');
  assert.match(await page.innerText('.notice'), /waits for a worker/);
  assert.match((await lastAudit()).actor, /^console \(/);
  await change(page, 'Cancel', {}, 'Cancel this task');
  assert.match(await page.innerText('.notice'), /cancelled/);
  assert.equal((await lastAudit()).action, 'task.cancel');
});

test('a page that renews itself outlives a fault of the service, and keeps an open form when the session ends', async () => {
  const { page } = await signedIn();
  await page.goto(`${app.rootUrl}/console/tasks`);
  await page.waitForSelector('.live-state.on');
  await page.evaluate('document.body.dataset.same = ""');
  const waits = async () => {
    await page.locator('.live-state', { hasText: 'waiting for the service' }).waitFor();
    await page.waitForSelector('.live-state.on');
  };
  for (const status of [502, 500, 404]) {
    await page.route(/\/console\/tasks/, (route) => route.fulfill({ status, body: 'away' }), { times: 1 });
    await waits();
  }
  await page.evaluate(`{
    const real = fetch;
    fetch = async () => {
      fetch = real;
      return new Response(new ReadableStream({ start: (body) => body.error() }));
    };
  }`);
  await waits();
  const slow = { action: 'translation', target_lang: 'de-x-slow', text: longStory(1) };
  const { task_id } = (await create(app, partner.key, slow)).body.data;
  await page.locator('tr', { hasText: task_id }).waitFor();
  assert.equal(await page.getAttribute('body', 'data-same'), '', 'it was never reloaded');
  await page.goto(`${app.rootUrl}/console/tasks/${task_id}`);
  await page.locator('summary', { hasText: /^Cancel$/ }).click();
  await page.context().clearCookies();
  await page.locator('.live-state', { hasText: /^ended: reload/ }).waitFor();
  assert.ok(await page.getByRole('button', { name: 'Cancel this task' }).isVisible());
  await app.call('POST', `/api/v1/tasks/${task_id}/cancel`, { key: partner.key });
});

test('a task is found by id, external id and account, tells its story and can be read', async () => {
  const { page, faults } = await signedIn();
  await page.goto(`${app.rootUrl}/console/tasks?q=${book.task_id}`);
  assert.ok(await page.isVisible(`text=${book.task_id}`));
  const found = async (query: string) => await (await page.request.get(`${app.rootUrl}/console/tasks?${query}`)).text();
  for (const query of ['q=order-7', 'q=order', 'q=the%20q', `account=${partner.id}`, 'status=completed'])
    assert.ok((await found(query)).includes(`>${book.task_id}<`), query);
  assert.match(await found('q=nothing-like-it'), />No task matches\.</);
  await page.goto(`${app.rootUrl}/console/tasks/${book.task_id}`);
  assert.match(await page.innerText('.timeline'), /credits charged: 82/);
  assert.ok((await page.innerText('main')).includes(attack), 'metadata is text');
  await Promise.all([page.waitForURL(/\/read\/rdl_/), page.getByRole('button', { name: 'Read', exact: true }).click()]);
  assert.equal((await lastAudit()).action, 'task.read');
  assert.deepEqual(faults, []);
});

test('a book is listed by its own title, in tabs with counts that renew themselves', async () => {
  const { page } = await signedIn();
  const page1 = '<html><head><title>The Lamp at Sea</title></head><body><p>The lamp was out.</p></body></html>';
  const order = { action: 'translation', target_lang: 'de', estimated_chars: 200 };
  const titled = await run(app, partner.key, order, { file: { content: page1, fileName: 'lamp.html' } });
  await page.goto(`${app.rootUrl}/console/tasks?account=${partner.id}&status=pending`);
  await page.waitForSelector('.live-state.on');
  const tab = page.locator('.tabs a[aria-current]');
  assert.match(await tab.innerText(), /^Pending\s*0$/);
  await tab.focus();
  const slow = { action: 'translation', target_lang: 'de-x-slow', text: longStory(1) };
  const ids: string[] = [];
  for (let i = 0; i < 2; i++) ids.push((await create(app, partner.key, slow)).body.data.task_id);
  await page.locator('.tabs a[aria-current]:focus', { hasText: '2' }).waitFor();
  await page
    .locator('tr', { hasText: ids[0] as string })
    .locator('.share')
    .waitFor();
  await page.goto(`${app.rootUrl}/console/tasks?account=${partner.id}`);
  const link = page.locator('td:first-child a', { hasText: 'The Lamp at Sea' });
  assert.equal(await link.getAttribute('href'), `/console/tasks/${titled.task_id}`);
  // Both are cancelled together, by the keyboard alone.
  await assertReachable(page, 'the tasks of the console');
  for (const id of ids) {
    await page.locator(`input[value="${id}"]`).focus();
    await page.keyboard.press('Space');
  }
  await page.locator('summary', { hasText: 'Cancel several' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Cancel the chosen tasks' }).focus();
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  assert.match(await page.innerText('.notice.good'), /2 tasks are cancelled/);
  assert.equal((await lastAudit()).action, 'task.cancel');
});

test('an account is created, funded, refunded, limited, suspended, resumed, and its keys are made and revoked', async () => {
  const { page, faults } = await signedIn();
  await page.goto(`${app.rootUrl}/console/accounts`);
  await change(page, 'New account', { name: attack, credits: '500' }, 'Create account');
  const key = await page.innerText('#secret');
  assert.match(key, /^tol_live_/);
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).body.data.balance_credits, 500);
  // A reload makes no other key and loses none; it goes when it is dismissed.
  await page.reload();
  assert.equal(await page.innerText('#secret'), key);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: /^(Copied|Selected)/ }).waitFor();
  await page.getByRole('link', { name: attack }).first().click();
  assert.equal(await page.innerText('#secret'), key);
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Dismiss' }).click()]);
  assert.equal(await page.locator('#secret').count(), 0);
  assert.equal(await page.innerText('h1'), attack);
  await change(page, 'Top up', { credits: '250', reference: 'INV-1' }, 'Add credits');
  await change(page, 'Top up', { credits: '250', reference: 'INV-1' }, 'Add credits');
  assert.match(await page.innerText('.notice'), /booked before/);
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).body.data.balance_credits, 750);
  await change(page, 'Refund', { credits: '9', reference: 'R-1', reason: attack }, 'Refund credits');
  assert.match(await page.innerText('.notice.bad'), /At most 0 credits/);
  const typed = page.locator('form[action$="/refund"]');
  assert.ok(await typed.getByRole('button').isVisible(), 'the refused form is open');
  assert.equal(await typed.locator('[name="reference"]').inputValue(), 'R-1');
  assert.equal(await typed.locator('[name="reason"]').inputValue(), attack);
  await change(page, 'Limits', { rate_limit: '7', low_balance: '100' }, 'Save limits');
  assert.match((await app.call('GET', '/api/v1/usage', { key })).headers.get('ratelimit-policy') ?? '', /q=7;/);
  await change(page, 'Suspend', { reason: attack }, 'Suspend account');
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).status, 403);
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Resume' }).click()]);
  await change(page, 'New key', {}, 'Create key');
  const second = await page.innerText('#secret');
  assert.equal((await app.call('GET', '/api/v1/usage', { key: second })).status, 200);
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Dismiss' }).click()]);
  await change(page, 'Revoke', {}, 'Revoke');
  assert.equal((await app.call('GET', '/api/v1/usage', { key })).status, 401);
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('400')),
    [],
  );
  await page.goto(`${app.rootUrl}/console/audit`);
  assert.ok((await page.innerText('main')).includes('account.suspend'));
});

test('a refund gives credits of a task back, and two operators who book the same one at once book it once', async () => {
  const { id, key } = await app.account({ credits: 1_000 });
  const task = await run(app, key, { action: 'translation', target_lang: 'de', text });
  const operators = await Promise.all([signedIn(), signedIn()]);
  const fields = { credits: '30', reference: 'R-77', reason: 'a chapter was cut', task: task.task_id };
  for (const { page } of operators) {
    await page.goto(`${app.rootUrl}/console/accounts/${id}`);
    await page.locator('summary', { hasText: /^Refund$/ }).click();
    for (const [name, value] of Object.entries(fields))
      await page.locator(`details[open] [name="${name}"]`).fill(value);
  }
  await Promise.all(
    operators.map(({ page }) =>
      Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Refund credits' }).click()]),
    ),
  );
  const notices = await Promise.all(operators.map(({ page }) => page.innerText('.notice.good')));
  assert.deepEqual(notices.map((notice) => notice.trim()).sort(), [
    'The credits were refunded.',
    'This reference was booked before; nothing changed.',
  ]);
  const { balance_credits } = (await app.call('GET', '/api/v1/usage', { key })).body.data;
  assert.equal(balance_credits, 1_000 - task.credits_charged + 30);
  const { rows } = await app.application.database.pool.query(
    `select count(*)::int as n from audit_log where account_id = $1 and action = 'account.refund'`,
    [id],
  );
  assert.equal(rows[0].n, 1);
  const page = operators[0]?.page as Page;
  assert.match(await page.innerText('main'), /a chapter was cut/);
  await page.goto(`${app.rootUrl}/console/tasks/${task.task_id}`);
  assert.match(await page.innerText('.timeline'), /credits refunded: 30/);
});
