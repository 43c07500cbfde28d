import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { changeAccount, revokeKey, suspendAccount } from '../../../src/operators/account-changes.ts';
import { assertReachable } from '../../browser/accessibility.ts';
import { openAccountSite } from '../../browser/account-site.ts';
import { openPage } from '../../browser/browser.ts';
import { create } from '../../support/task-client.ts';
import { longStory } from '../../support/texts.ts';

const { app, receiver, partner, attack, series, webhook, book, signedIn, signIn } = await openAccountSite();
const { db } = app.application.database;

test('a partner sees its tasks, series, terms, webhooks, keys and ledger, and the key is in no page and no address', async () => {
  const { page } = await signedIn(partner.key);
  const seen: string[] = [];
  page.on('request', (request) => seen.push(request.url()));
  const look = async (path: string, ...words: string[]) => {
    await page.goto(`${app.rootUrl}/account${path}`);
    const text = await page.innerText('main');
    for (const word of words) assert.ok(text.includes(word), `${path} shows ${word}`);
    assert.ok(!(await page.content()).includes(partner.key), path);
  };
  await look('', 'quay.txt', book.task_id, 'order-7', 'completed');
  await look('?external_id=order-7', 'quay.txt');
  await look('?status=failed', 'No task matches.');
  await look(`/tasks/${book.task_id}`, 'quay.txt', attack, 'Translated book', 'English → German', 'Credits charged');
  await look('/usage', 'charge', 'hold', book.task_id);
  await look(`/series/${series.series_id}`, 'Corwin', 'Korwin', 'quay.txt');
  await look('/webhooks', receiver.url, attack);
  await look('/keys', partner.key.slice(0, 13), 'you are signed in with it');
  assert.equal(seen.filter((url) => url.includes(partner.key)).length, 0);
  const [cookie] = (await page.context().cookies()).filter(({ name }) => name === 'toledo_account');
  assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.path], [true, 'Strict', '/account']);
  assert.ok(!cookie?.value.includes(partner.key));
});

test('a book is downloaded, and a reader link is made, copied and opened', async () => {
  const { page, faults } = await signedIn(partner.key);
  await page.goto(`${app.rootUrl}/account/tasks/${book.task_id}`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'translated' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), book.download_files[0].file_name);
  await page.locator('summary', { hasText: 'Reader link' }).click();
  await page.locator('[name="editable"]').selectOption('true');
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Make a link' }).click()]);
  assert.match(await page.innerText('.notice.good'), /read and correct the book until/);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: /^(Copied|Selected)/ }).waitFor();
  const { pathname } = new URL(page.url());
  assert.equal(pathname, `/account/tasks/${book.task_id}`, 'a reload makes no second link');
  await Promise.all([page.waitForURL(/\/read\/rdl_/), page.getByRole('link', { name: 'Open' }).click()]);
  assert.deepEqual(faults, []);
});

test('a delivery is sent once more, and a test event is sent and told of', async () => {
  await receiver.until(1);
  const { page } = await signedIn(partner.key);
  await page.goto(`${app.rootUrl}/account/webhooks/${webhook.webhook_id}`);
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Redeliver' }).first().click()]);
  assert.match(await page.innerText('.notice.good'), /sent once more/);
  const [first, second] = await receiver.until(2);
  assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id']);
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Send a test event' }).click()]);
  assert.match(await page.innerText('.notice.good'), /accepted the test event with status 2/);
});

test('a running task shows how far it is without a reload, and is cancelled by the keyboard alone', async () => {
  const { page } = await signedIn(partner.key);
  const long = await create(app, partner.key, { action: 'translation', target_lang: 'de-x-slow', text: longStory(2) });
  const { task_id } = long.body.data;
  await page.goto(`${app.rootUrl}/account`);
  assert.ok(await page.locator('tr', { hasText: task_id }).locator('.share').isVisible());
  const press = async (name: string) => {
    for (let steps = 0; steps < 60; steps++) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement?.textContent?.trim()')) === name) break;
    }
    await page.keyboard.press('Enter');
  };
  await page.goto(`${app.rootUrl}/account/tasks/${task_id}`);
  await assertReachable(page, 'a running task of an account');
  await press('Cancel');
  await Promise.all([page.waitForNavigation(), press('Cancel this task')]);
  assert.equal((await page.innerText('.notice.good')).trim(), 'The task is cancelled.');
  // A form that is sent after the session has ended says so, and changes nothing.
  await page.goto(`${app.rootUrl}/account/webhooks/${webhook.webhook_id}`);
  const kept = await page.context().cookies();
  await page.context().clearCookies();
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Send a test event' }).click()]);
  assert.match(await page.innerText('.notice.bad'), /session has ended, and nothing was changed/);
  await page.context().addCookies(kept);
  await page.goto(`${app.rootUrl}/account`);
  await Promise.all([page.waitForNavigation(), press('Sign out')]);
  assert.ok(await page.isVisible('[name="key"]'));
});

test('live and test keys see their own mode only, and other accounts nothing at all', async () => {
  const test = await app.newKey(partner.id, 'test');
  const other = await app.account({ credits: 10 });
  for (const key of [test.key, other.key]) {
    const { page } = await signedIn(key);
    await page.goto(`${app.rootUrl}/account`);
    assert.ok(!(await page.innerText('main')).includes(book.task_id));
    for (const path of [`/tasks/${book.task_id}`, `/series/${series.series_id}`, `/webhooks/${webhook.webhook_id}`]) {
      assert.equal((await page.request.get(`${app.rootUrl}/account${path}`)).status(), 404, path);
    }
    await page.goto(`${app.rootUrl}/account/keys`);
    assert.equal(await page.locator('tbody tr').count(), 1);
    assert.ok(!(await page.innerText('main')).includes(partner.key.slice(0, 13)));
  }
});

test('a wrong key is refused; a revoked key and a suspended account end the session', async () => {
  const account = await app.account();
  const { page } = await openPage();
  await signIn(page, 'tol_live_nobody');
  assert.match(await page.innerText('.notice.bad'), /missing, unknown or revoked/);
  await signIn(page, 'naïve\u2028key');
  assert.match(await page.innerText('.notice.bad'), /missing, unknown or revoked/);
  const second = await app.newKey(account.id);
  await signIn(page, second.key);
  assert.ok(await page.isVisible('text=Sign out'));
  await revokeKey(db, 'test', second.id);
  await page.goto(`${app.rootUrl}/account/usage`);
  assert.match(await page.innerText('.notice.bad'), /revoked/);
  assert.deepEqual(await page.context().cookies(), []);
  await signIn(page, account.key);
  await suspendAccount(db, 'test', account.id, 'unpaid');
  await page.goto(`${app.rootUrl}/account/keys`);
  assert.match(await page.innerText('.notice.bad'), /suspended this account/);
  await page.goto(`${app.rootUrl}/account`);
  assert.ok(await page.isVisible('[name="key"]'));
});

test('a change without the token of the session, or from another site, is refused; pages count in the rate limit', async () => {
  const { page } = await signedIn(partner.key);
  const [cookie] = await page.context().cookies();
  const send = (headers: Record<string, string>, body: string) =>
    fetch(`${app.rootUrl}/account/tasks/${book.task_id}/reader-link`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        cookie: `${cookie?.name}=${cookie?.value}`,
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
      body,
    });
  assert.equal((await send({}, 'csrf=guessed')).status, 403);
  assert.equal((await send({ 'sec-fetch-site': 'cross-site' }, 'csrf=guessed')).status, 403);
  const stolen = await fetch(`${app.rootUrl}/account/usage`, {
    redirect: 'manual',
    headers: { cookie: `toledo_account=${'A'.repeat(43)}` },
  });
  assert.equal(stolen.status, 303);
  const slow = await app.account();
  await changeAccount(db, 'test', slow.id, { rateLimitPerMinute: 4 });
  const limited = await signedIn(slow.key);
  const statuses: (number | undefined)[] = [];
  for (let i = 0; i < 3; i++) statuses.push((await limited.page.goto(`${app.rootUrl}/account`))?.status());
  assert.equal(statuses.at(-1), 429);
  assert.match(await limited.page.innerText('main'), /4 requests per minute/);
});
