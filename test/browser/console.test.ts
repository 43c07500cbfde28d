import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { create, run } from '../support/task-client.ts';
import { longStory } from '../support/texts.ts';
import { localWebhooks, startWebhookReceiver } from '../support/webhook-receiver.ts';
import { assertReachable } from './accessibility.ts';
import { openConsoleSite } from './console-site.ts';

const { app, partner, text, attack, book, signedIn } = await openConsoleSite({ env: localWebhooks });

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

test('a failed task is tried again as a new one, a file is downloaded, and a series and a webhook have pages', async () => {
  const { page } = await signedIn();
  const failed = await run(app, partner.key, {
    ...{ action: 'translation', target_lang: 'de-x-fail', text, file_name: 'again.txt' },
    ...{ glossary: { Corwin: 'Korwin' }, style: 'plain', metadata: { external_id: 'again-1' } },
  });
  await page.goto(`${app.rootUrl}/console/tasks/${failed.task_id}`);
  await change(page, 'Retry', {}, 'Retry as a new task');
  assert.match(await page.innerText('.notice.good'), /This is the new task/);
  const { tasks } = (await app.call('GET', '/api/v1/tasks?external_id=again-1', { key: partner.key })).body.data;
  assert.equal(tasks.length, 2);
  assert.ok(page.url().includes(tasks[0].task_id));
  const { rows } = await app.application.database.pool.query(
    `select glossary::text, style, source_lang, target_lang, char_count, file_name from tasks where external_id = 'again-1'`,
  );
  assert.deepEqual(rows[0], rows[1], 'the order is the same');
  assert.equal((await lastAudit()).action, 'task.retry');
  await page.goto(`${app.rootUrl}/console/tasks/${book.task_id}`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download translated' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), book.download_files[0].file_name);
  assert.equal((await lastAudit()).action, 'task.download');
  const order = { action: 'translation', source_lang: 'fr', target_lang: 'de', text: longStory(0).slice(0, 4_000) };
  const doubtful = await run(app, partner.key, order);
  assert.ok(doubtful.warnings.length > 0);
  await page.goto(`${app.rootUrl}/console/tasks/${doubtful.task_id}`);
  const warnings = page.locator('section', { has: page.getByRole('heading', { name: 'Warnings' }) });
  assert.ok((await warnings.innerText()).includes(doubtful.warnings[0].message));
  assert.ok(!(await warnings.innerText()).includes('code:'));
  await page.goto(`${app.rootUrl}/console/series`);
  await page.getByRole('link', { name: 'The quay' }).click();
  assert.match(await page.innerText('main'), /Corwin\s+Korwin/);
  assert.ok(await page.isVisible(`text=${book.task_id}`));
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

test('a delivery is sent once more by its button', async () => {
  const receiver = await startWebhookReceiver();
  const hook = await app.call('POST', '/api/v1/webhooks', {
    key: partner.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: receiver.url, events: ['task.completed'] }),
  });
  assert.equal(hook.status, 201, hook.text);
  await run(app, partner.key, { action: 'token_estimate', text });
  await receiver.until(1);
  const { page } = await signedIn();
  await page.goto(`${app.rootUrl}/console/webhooks`);
  await page.getByRole('link', { name: receiver.url }).first().click();
  assert.match(await page.innerText('main'), /task\.completed/);
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Redeliver' }).first().click()]);
  assert.match(await page.innerText('.notice.good'), /sent once more/);
  const [first, second] = await receiver.until(2);
  assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id']);
  assert.equal((await lastAudit()).action, 'webhook.redeliver');
  await app.call('DELETE', `/api/v1/webhooks/${hook.body.data.webhook_id}`, { key: partner.key });
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

test('a task that ends renews its page, but not while a form is open on it', async () => {
  const [reader, undecided] = await Promise.all([signedIn(), signedIn()]);
  const long = await create(app, partner.key, {
    action: 'translation',
    target_lang: 'de-x-slow',
    text: longStory(3),
  });
  const { task_id } = long.body.data;
  for (const { page } of [reader, undecided]) {
    await page.goto(`${app.rootUrl}/console/tasks/${task_id}`);
    await page.waitForSelector('.live-state.on');
  }
  await undecided.page.locator('summary', { hasText: /^Cancel$/ }).click();
  await app.call('POST', `/api/v1/tasks/${task_id}/cancel`, { key: partner.key });
  await reader.page.locator('summary', { hasText: /^Cancel$/ }).waitFor({ state: 'detached' });
  await undecided.page.locator('.live-state', { hasText: /^ended: reload/ }).waitFor();
  const cancel = undecided.page.getByRole('button', { name: 'Cancel this task' });
  assert.ok(await cancel.isVisible());
  await Promise.all([undecided.page.waitForNavigation(), cancel.click()]);
  assert.equal((await undecided.page.innerText('.notice')).trim(), 'The task has ended: it is cancelled.');
  assert.deepEqual(reader.faults, []);
});

test('two operators who cancel one task at once: one does, the other is told', async () => {
  const operators = await Promise.all([signedIn(), signedIn()]);
  const long = await create(app, partner.key, {
    action: 'translation',
    target_lang: 'de-x-slow',
    text: longStory(2),
  });
  for (const { page } of operators) {
    await page.goto(`${app.rootUrl}/console/tasks/${long.body.data.task_id}`);
    await page.locator('summary', { hasText: /^Cancel$/ }).click();
  }
  await Promise.all(
    operators.map(({ page }) =>
      Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Cancel this task' }).click()]),
    ),
  );
  const notices = await Promise.all(operators.map(({ page }) => page.innerText('.notice')));
  assert.deepEqual(notices.map((notice) => notice.trim()).sort(), [
    'The task has ended: it is cancelled.',
    'The task is cancelled.',
  ]);
});
