/** What an operator does in the console beside what the suite tests: trying again, sending again, testing, cancelling. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { change, openConsoleSite } from '../../browser/console-site.ts';
import { create, run } from '../../support/task-client.ts';
import { longStory } from '../../support/texts.ts';
import { localWebhooks, startWebhookReceiver } from '../../support/webhook-receiver.ts';

const { app, partner, text, book, signedIn, lastAudit } = await openConsoleSite({ env: localWebhooks });

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
